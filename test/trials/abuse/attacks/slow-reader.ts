import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Attack, Known } from "./attack.js";
import { type Blow, hammer } from "./hammer.js";
import { largeRecord } from "./heavy.js";

const PROGRAM = fileURLToPath(new URL("read_slowly.py", import.meta.url));
const LARGE_RECORDS = 100;

/** Slow enough that a CSV of two megabytes takes hours, but fast enough that the gateway does not consider the client gone. */
const BYTES_PER_SECOND = 280;

/** The connections of a reader of large responses. */
export const CONNECTIONS = 100;

/** Opens this many connections, each with one of the requests, and reads their responses very slowly. */
async function readSlowly(
  { known, stopped, count }: Attack,
  options: { origin?: string; connections: number; requests: readonly Blow[] },
): Promise<void> {
  const { hostname: host, port } = new URL(options.origin ?? known.baseUrl);
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

function toText(host: string, { method = "GET", path, headers = {}, body = "" }: Blow): string {
  const all = { Host: host, ...headers, ...(body && { "Content-Length": String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Fills the account's lists with the maximum number of bytes. */
export async function fill({ known, stopped }: Omit<Attack, "count">): Promise<void> {
  const filled = new AbortController();
  let created = createdBy.get(known.viewer) ?? 0;
  if (created >= LARGE_RECORDS) return;
  const either = AbortSignal.any([stopped, filled.signal]);
  const count = (what: string) => {
    if (what !== "201") return;
    createdBy.set(known.viewer, ++created);
    if (created >= LARGE_RECORDS) filled.abort();
  };
  await hammer({ known, stopped: either, count }, { connections: 4, next: (turn) => largeRecord(known, turn) });
}

// One process runs several rounds of an attack, or fills several accounts. Each account has one viewer.
const createdBy = new Map<string, number>();

const authorized = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Lists of large records. */
function lists({ baseUrl, keys }: Known): Blow[] {
  const path = `${new URL(baseUrl).pathname}/shipments?limit=100`;
  return keys.map((key) => ({ path, headers: authorized(key) }));
}

/** The same lists, requested by an agent. */
function agentLists({ keys }: Known): Blow[] {
  const params = { name: "listShipments", arguments: { limit: 100 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const types = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  return keys.map((key) => ({ method: "POST", path: "/mcp", headers: { ...authorized(key), ...types }, body }));
}

/** The description of the API, not compressed. */
function documents({ baseUrl }: Known): Blow[] {
  return [{ path: `${new URL(baseUrl).pathname}/openapi.json` }];
}

/** Pages and downloads of a member, not compressed. */
function pages({ viewer }: Known): Blow[] {
  const headers = { Cookie: viewer };
  return [
    { path: "/developers/sandbox/shipments?size=100", headers },
    { path: "/developers/sandbox/shipments/csv", headers },
    { path: "/developers/live/labels?size=100", headers },
  ];
}

/** Requests for large responses, and the part that answers them. */
interface LargeRequests {
  of(known: Known): Blow[];
  at: "baseUrl" | "portal" | "mcp";
}

/** The requests for large responses of an account, by the attack that reads them slowly. */
export const largeRequests: Readonly<Record<string, LargeRequests>> = {
  "slow-reader": { of: lists, at: "baseUrl" },
  "slow-agent": { of: agentLists, at: "mcp" },
  "slow-documents": { of: documents, at: "baseUrl" },
  "slow-pages": { of: pages, at: "portal" },
};

/** Reads large responses slowly. */
const slowly =
  ({ of, at }: LargeRequests) =>
  async (attack: Attack) => {
    await fill(attack);
    const { known } = attack;
    await readSlowly(attack, { origin: known[at], connections: CONNECTIONS, requests: of(known) });
  };

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
  await Promise.all([readSlowly(attack, { origin: known.portal, connections: 3, requests }), ownRequests]);
}

export const slowReaderAttacks = {
  ...Object.fromEntries(Object.entries(largeRequests).map(([name, large]) => [name, slowly(large)])),
  "slow-download": slowDownload,
};
