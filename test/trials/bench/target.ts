import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { Pool } from "undici";
import { cpuMsOf, type Measured, memoryMbOf } from "../kit/processes.js";
import type { Customer, Customers } from "./customers.js";

/** A request of a customer. */
export interface Call {
  customer: Customer;
  method?: "GET" | "POST";
  path: string;
  body?: unknown;
  idempotencyKey?: string;
  /** The expected status. */
  expect: number;
}

/** The target of a measurement: the platform or its floor, which offers the same calls. */
export interface Target {
  name: "platform" | "floor";
  customers: Customers;
  /** Customers who have used up their limit. */
  limited: Customers;
  /** Prepares each round of calls by limited customers. */
  limit(): Promise<void>;
  /** Resolves with the body of an answer of the expected status; rejects otherwise. */
  call(call: Call): Promise<Buffer>;
  cpuMs(): Record<string, number>;
  memoryMb(): Record<string, number>;
  /** The current figures of its databases, by name. */
  databases(): Promise<DatabaseFigures>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Committed transactions and bytes of databases, by their names. */
export interface DatabaseFigures {
  commits: Record<string, number>;
  bytes: Record<string, number>;
}

/** The locations of a target's processes and servers. */
export interface TargetParts extends Pick<Target, "name" | "customers" | "limited" | "limit"> {
  /** Versioned roots of the API, which calls use in turn. */
  baseUrls: readonly string[];
  processes(): Measured[];
  databases: Record<string, Database>;
}

/** Connections of each base URL. */
const CONNECTIONS = 64;

/** Opens connections to a target. */
export function openTarget(parts: TargetParts): Target {
  const roots = parts.baseUrls.map((baseUrl) => {
    const { origin, pathname } = new URL(baseUrl);
    return { pool: new Pool(origin, { connections: CONNECTIONS }), prefix: pathname.replace(/\/$/, "") };
  });
  let turn = 0;

  async function call({ customer, method = "GET", path, body, idempotencyKey, expect }: Call): Promise<Buffer> {
    const { pool, prefix } = roots[turn++ % roots.length]!;
    const headers: Record<string, string> = { authorization: `Bearer ${parts.customers.keyOf(customer)}` };
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    if (body !== undefined) headers["content-type"] = "application/json";
    const sent = { method, path: prefix + path, headers, body: body === undefined ? null : JSON.stringify(body) };
    const response = await pool.request(sent);
    const bytes = Buffer.from(await response.body.arrayBuffer());
    if (response.statusCode === expect) return bytes;
    const code = /"code":"(\w+)"/.exec(bytes.toString("latin1", 0, 500))?.[1] ?? "";
    throw new Error(`${method} ${path.replace(/_\w{26}/, "_…")}: ${response.statusCode} ${code}`);
  }

  return {
    ...parts,
    call,
    cpuMs: () => cpuMsOf(parts.processes()),
    databases: () => figuresOf(parts.databases),
    memoryMb: () => memoryMbOf(parts.processes()),
    async close() {
      await Promise.all(roots.map(({ pool }) => pool.close()));
    },
  };
}

async function figuresOf(databases: Record<string, Database>): Promise<DatabaseFigures> {
  const figures: DatabaseFigures = { commits: {}, bytes: {} };
  for (const [name, db] of Object.entries(databases)) {
    const [row] = await db.run<{ commits: bigint; bytes: bigint }>(sql`
      SELECT xact_commit AS commits, pg_database_size(datname) AS bytes
      FROM pg_stat_database WHERE datname = current_database()`);
    figures.commits[name] = Number(row?.commits);
    figures.bytes[name] = Number(row?.bytes);
  }
  return figures;
}

const IDLE_WINDOW_MS = 150;
const IDLE_SHARE = 0.1;
const PATIENCE_MS = 5_000;

/** Resolves when the work that a target does after its responses (marks, events) is done: it counts as their cost, not as that of the next ones. */
export async function settled(target: Target): Promise<void> {
  const total = () => Object.values(target.cpuMs()).reduce((sum, ms) => sum + ms, 0);
  const deadline = performance.now() + PATIENCE_MS;
  for (let before = total(); performance.now() < deadline; ) {
    await sleep(IDLE_WINDOW_MS);
    const after = total();
    if (after - before <= IDLE_SHARE * IDLE_WINDOW_MS) return;
    before = after;
  }
}
