import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Attack } from "./attack.js";
import { hammer } from "./hammer.js";
import { largeRecord } from "./heavy.js";

const PROGRAM = fileURLToPath(new URL("read_slowly.py", import.meta.url));
const LARGE_RECORDS = 100;

/** Slow enough that a CSV of two megabytes takes hours, but fast enough that the gateway does not consider the client gone. */
const BYTES_PER_SECOND = 280;

/** A request whose response is read very slowly. */
interface SlowlyRead {
  method?: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Opens this many connections, each with one of the requests, and reads their responses very slowly. */
async function readSlowly(
  { known, stopped, count }: Attack,
  options: { connections: number; requests: readonly SlowlyRead[] },
): Promise<void> {
  const { hostname: host, port } = new URL(known.baseUrl);
  const requests = options.requests.map((request) => toText(host, request));
  const reader = spawn(process.env.PYTHON ?? "python3", [PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(reader, "exit");
  createInterface(reader.stdout).on("line", count);
  const wanted = { host, port: Number(port), requests, connections: options.connections };
  reader.stdin.write(`${JSON.stringify({ ...wanted, bytes_per_second: BYTES_PER_SECOND })}\n`);
  if (!stopped.aborted) await Promise.race([once(stopped, "abort"), ended]);
  if (reader.exitCode !== null) throw new Error("The slow reader ended early.");
  reader.stdin.end();
  await ended;
}

function toText(host: string, { method = "GET", path, headers = {}, body = "" }: SlowlyRead): string {
  const all = { Host: host, ...headers, ...(body && { "Content-Length": String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Fills the account's lists with the maximum number of bytes. */
export async function fill({ known, stopped }: Attack): Promise<void> {
  const filled = new AbortController();
  if (created >= LARGE_RECORDS) return;
  const either = AbortSignal.any([stopped, filled.signal]);
  const count = (what: string) => {
    if (what === "201" && ++created >= LARGE_RECORDS) filled.abort();
  };
  await hammer({ known, stopped: either, count }, { connections: 4, next: (turn) => largeRecord(known, turn) });
}

// One process runs several rounds of an attack.
let created = 0;

const authorized = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Lists of large records. */
async function slowLists(attack: Attack): Promise<void> {
  await fill(attack);
  const path = `${new URL(attack.known.baseUrl).pathname}/shipments?limit=100`;
  const requests = attack.known.keys.map((key) => ({ path, headers: authorized(key) }));
  await readSlowly(attack, { connections: 100, requests });
}

/** The same lists, requested by an agent. */
async function slowAgent(attack: Attack): Promise<void> {
  await fill(attack);
  const params = { name: "listShipments", arguments: { limit: 100 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const types = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const requests = attack.known.keys.map((key) => {
    return { method: "POST", path: "/mcp", headers: { ...authorized(key), ...types }, body } as const;
  });
  await readSlowly(attack, { connections: 100, requests });
}

/** Pages and downloads of a member, and public documents, none of them compressed. */
async function slowPages(attack: Attack): Promise<void> {
  await fill(attack);
  const { baseUrl, viewer } = attack.known;
  const member = { Cookie: viewer };
  const requests = [
    { path: "/developers/sandbox/shipments?size=100", headers: member },
    { path: "/developers/sandbox/shipments/csv", headers: member },
    { path: "/developers/live/labels?size=100", headers: member },
    { path: `${new URL(baseUrl).pathname}/openapi.json` },
  ];
  await readSlowly(attack, { connections: 100, requests });
}

// The keys may reach their limit on a fast machine. Only other refusals are caused by the downloads.
const ownRequest = (status: string) =>
  ({ 200: "own requests", 429: "own requests above the limit of the keys" })[status] ?? "refused own requests";

/** Downloads of one member, beside requests with a key of the same account that must all succeed. */
async function slowDownload(attack: Attack): Promise<void> {
  const { known, stopped, count } = attack;
  const requests = [{ path: "/developers/live/shipments/csv", headers: { Cookie: known.viewer } }];
  const path = `${new URL(known.baseUrl).pathname}/shipments?limit=1`;
  const ownRequests = hammer(
    { known, stopped, count: (status) => count(ownRequest(status)) },
    { connections: 1, next: (turn) => ({ path, headers: authorized(known.keys[turn % known.keys.length] ?? "") }) },
  );
  await Promise.all([readSlowly(attack, { connections: 3, requests }), ownRequests]);
}

export const slowReaderAttacks = {
  "slow-reader": slowLists,
  "slow-agent": slowAgent,
  "slow-pages": slowPages,
  "slow-download": slowDownload,
};
