import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@shipping/kit/errors";
import { InvalidArgumentError } from "commander";
import { type Answered, sendRequests } from "../load/send-requests.js";
import { type Watched, watchParts } from "../load/watch-parts.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { toTable } from "../tools/print.js";

const MAX_MINUTES = 30;
const MAX_RATE = 500;

interface LoadOptions {
  minutes: number;
  rate: number;
  metrics?: string[];
}

export function addLoadCommand(admin: AdminCommand, { print, platform, config }: Tools): void {
  admin
    .command("load")
    .description(
      "Create and read sandbox shipments at a steady rate (open loop), and say how long requests took, what failed, and what was the bottleneck. GATEWAY_URL is the API, LOAD_KEYS are sandbox keys, separated by commas; both are known on the machine of a local platform. The shipments stay.",
    )
    .option("--minutes <n>", `duration, up to ${MAX_MINUTES}`, atMost(MAX_MINUTES), 1)
    .option("--rate <n>", `requests per second, up to ${MAX_RATE}`, atMost(MAX_RATE), 10)
    .option("--metrics <urls>", "URLs of the /metrics of processes, separated by commas", (text) => text.split(","))
    .examples("--minutes 1 --rate 50")
    // What it creates is in the request log, as that of any customer: it does not need the database for the operator log.
    .reads(async ({ minutes, rate, metrics = [] }: LoadOptions) => {
      const { services } = await platform();
      if (!services.gateway) throw fail("invalid_request", "The address of the API is unknown. Set GATEWAY_URL.");
      const origins = services.gateway.split(",").map((url) => new URL(url.trim()).origin);
      const keys = sandboxKeys(config().LOAD_KEYS ?? (await keyOfLocalPlatform(config())));
      const sending = sendRequests({ origins, keys, rate, seconds: minutes * 60 });
      const [{ coreUsed, ...answered }, { uses, unseen }] = await Promise.all([sending, watchParts(metrics, sending)]);
      uses.push({ what: "one core by this command", share: coreUsed });
      uses.sort((one, other) => other.share - one.share);
      const found = { ...answered, uses, unseen };
      const bottleneck = findBottleneck(found);
      print({ ...found, bottleneck }, describe(found, bottleneck));
    });
}

// A platform of `npm start` leaves its key beside itself. With an address from the environment, the folder may be another platform's.
async function keyOfLocalPlatform({ DATA_DIR, GATEWAY_URL }: ReturnType<Tools["config"]>): Promise<string> {
  if (GATEWAY_URL) return "";
  const text = await readFile(join(DATA_DIR, "demo.json"), "utf8").catch(() => "{}");
  return String(JSON.parse(text).sandbox_key ?? "");
}

function sandboxKeys(text: string): string[] {
  const keys = text.split(",").map((key) => key.trim());
  // The text itself is a secret, and is not repeated.
  if (keys.some((key) => key.startsWith("service_live_")))
    throw fail(
      "invalid_request",
      "LOAD_KEYS contains a live key. A load makes shipments that nobody wants: use sandbox keys.",
    );
  if (keys.every((key) => key.startsWith("service_test_"))) return keys;
  throw fail("invalid_request", "Set LOAD_KEYS to sandbox keys, which start with service_test_, separated by commas.");
}

type Found = Omit<Answered, "coreUsed"> & Watched;

const NEARLY_IDLE = 0.5;

/** What limited the load most, in a sentence. */
function findBottleneck({ errors, held, uses }: Found): string {
  const refused = errors.find(({ error }) => error.startsWith("429"))?.count ?? 0;
  if (refused + held > 0)
    return `The rate limit of the keys: ${refused} requests were refused with 429, and ${held} not sent in the minute after. Set LOAD_KEYS to more keys, or raise RATE_LIMIT_PER_MINUTE.`;
  if (errors.some(({ error }) => error.includes("account_queue")))
    return "The concurrency limit of the account (ACCOUNT_CONCURRENCY_LIMIT). Use keys of several accounts.";
  const [most] = uses;
  const use = most && `${most.what}, ${percent(most.share)} used`;
  if (most && most.share >= NEARLY_IDLE) return `${use}.`;
  if (uses.length <= 1) return "Unknown: no metrics of the processes were read. Name their URLs with --metrics.";
  return `None that these metrics show; the most used was ${use}. They do not show PostgreSQL, NATS, proxies and the network.`;
}

function describe({ requests, errors, shipments, uses, unseen }: Found, bottleneck: string): string {
  const latencies = requests.map(({ request, answered, p50, p95, p99, max }) => [
    ...[request, String(answered)],
    ...[p50, p95, p99, max].map((ms) => (Number.isNaN(ms) ? "" : ms.toFixed(1))),
  ]);
  const failed = errors.map(({ error, count }) => [error, String(count)]);
  return [
    toTable(["REQUEST", "ANSWERED", "P50 MS", "P95 MS", "P99 MS", "MAX MS"], latencies),
    "Latencies count from the time at which a request was due. Requests that failed are not among them.",
    ...(failed.length > 0 ? ["", toTable(["ERROR", "COUNT"], failed)] : []),
    ...[
      "",
      toTable(
        ["RESOURCE", "USED"],
        uses.map(({ what, share }) => [what, percent(share)]),
      ),
    ],
    ...unseen.map((problem) => `Not read: ${problem}`),
    ...["", `Bottleneck: ${bottleneck}`, `${shipments} shipments were created in the sandbox and stay there.`],
  ].join("\n");
}

const percent = (share: number) => `${Math.round(share * 100)}%`;

function atMost(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= max) return value;
    throw new InvalidArgumentError(`Use a number above 0, up to ${max}.`);
  };
}
