import { connect } from "node:net";
import { requireVersion, TooOld } from "@shipping/kit/process/supported-versions";
import { type Finding, reasonOf, tooOld } from "../platform/finding.js";

const ANSWER_MS = 3_000;
const PORT = 4222;
const MAX_GREETING = 65_536;

/** Says whether NATS answers. It tells its version to anyone who connects, before it asks who that is. */
export async function checkBus(url: string): Promise<Finding> {
  const part = "event bus";
  try {
    const version = await versionAt(url);
    requireVersion("nats-server", version);
    return { part, ok: true, says: `answering at ${url}, nats-server ${version}` };
  } catch (error) {
    if (error instanceof TooOld) return tooOld(part, error);
    return {
      part,
      ok: false,
      says: `not reachable at ${url}: ${reasonOf(error)}`,
      advice: "Check that NATS is running and that the address is correct.",
    };
  }
}

async function versionAt(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: Number(port || PORT), signal: AbortSignal.timeout(ANSWER_MS) });
  let greeting = "";
  for await (const chunk of socket) {
    greeting += chunk;
    if (greeting.includes("\n") || greeting.length > MAX_GREETING) break;
  }
  const [, info] = /^INFO (\{.*\})\s/.exec(greeting) ?? [];
  if (!info) throw new Error("the server at this address is not NATS");
  return String(JSON.parse(info).version);
}
