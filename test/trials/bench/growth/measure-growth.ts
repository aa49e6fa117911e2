import { randomInt } from "node:crypto";
import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { superuserUrl, withServer } from "../../failover/postgres/replication.js";
import { type Operation, openLoop, percentile } from "../open-loop.js";
import type { Platform } from "../platform.js";
import { createShipment, parcelBody } from "../seed.js";
import type { Target } from "../target.js";
import { idAt, idempotencyKey, loadRows, shipmentId } from "./load-rows.js";

/** The cost of operations with that many shipments, ledger and registry rows. */
export interface SizeResult {
  rows: number;
  loadedInSeconds: number;
  /** Milliseconds of each kind of operation, in an open loop. */
  latency: Record<string, { p50: number; p99: number }>;
  /** Bytes of the databases of records and gateway. */
  bytes: number;
  /** The share of blocks that PostgreSQL's own cache served during the load. The others came from the system's cache or the disk. */
  cacheHitRate: number;
}

const PAGE = 25;
const WARM_UP_SECONDS = 2;

/** Lets the tables grow from size to size, and measures at each. The customers share the rows. */
export async function measureGrowth(
  { target, cluster }: Platform,
  sizes: readonly number[],
  effort: { rounds: number; seconds: number; rate: number },
  say: (line: string) => void,
): Promise<SizeResult[]> {
  const { records, gateway } = cluster.databases;
  const accountIds = target.customers.all.map(({ accountId }) => accountId);
  const results: SizeResult[] = [];
  let from = 0;
  for (const size of sizes.toSorted((one, other) => one - other)) {
    const until = Math.ceil(size / accountIds.length);
    say(`Loading up to ${size} rows …`);
    const begun = performance.now();
    await loadRows({ records, gateway }, accountIds, { from, until });
    await checkpoint(cluster);
    const loadedInSeconds = (performance.now() - begun) / 1000;
    from = until;

    say("Measuring …");
    const operations = Object.entries(operationsAt(target, until));
    for (const [, operation] of operations) await openLoop(operation, { ...effort, seconds: WARM_UP_SECONDS });
    const latencies = new Map<string, number[]>();
    const before = await blocks([records, gateway]);
    for (let round = 0; round < effort.rounds; round++) {
      for (const [name, operation] of operations) {
        const load = await openLoop(operation, effort);
        latencies.set(name, [...(latencies.get(name) ?? []), ...load.latencies]);
      }
    }
    const after = await blocks([records, gateway]);
    const hit = after.hit - before.hit;
    results.push({
      rows: size,
      loadedInSeconds,
      latency: Object.fromEntries(
        [...latencies].map(([name, of]) => [name, { p50: percentile(of, 0.5), p99: percentile(of, 0.99) }]),
      ),
      bytes: after.bytes,
      cacheHitRate: hit / (hit + after.read - before.read),
    });
  }
  return results;
}

// A load leaves gigabytes to write, which PostgreSQL would otherwise write during the measurement.
async function checkpoint(cluster: ClusterUnderTest): Promise<void> {
  const { address } = await cluster.process("postgres");
  await withServer(await superuserUrl(cluster.dataDir, address), (client) => client.query("CHECKPOINT"));
}

/** The operations, for customers who have `each` shipments. */
function operationsAt(target: Target, each: number): Record<string, Operation> {
  const { customers } = target;
  const get = () => {
    const customer = customers.next();
    return target.call({
      customer,
      path: `/shipments/${shipmentId(customer.accountId, randomInt(each))}`,
      expect: 200,
    });
  };
  const replay = () => {
    const customer = customers.next();
    const key = idempotencyKey(customer.accountId, randomInt(each));
    return target.call({
      customer,
      method: "POST",
      path: "/shipments",
      body: parcelBody,
      idempotencyKey: key,
      expect: 201,
    });
  };
  const listFrom = (share: number) => () =>
    target.call({ customer: customers.next(), path: `/shipments?limit=${PAGE}&after=${idAt(share)}`, expect: 200 });
  return {
    get,
    "list, first": () => target.call({ customer: customers.next(), path: `/shipments?limit=${PAGE}`, expect: 200 }),
    "list, middle": listFrom(0.5),
    "list, last": listFrom(1 - PAGE / each),
    replay,
    create: () => createShipment(target, customers.next()),
  };
}

async function blocks(databases: readonly Database[]): Promise<{ hit: number; read: number; bytes: number }> {
  const total = { hit: 0, read: 0, bytes: 0 };
  for (const db of databases) {
    const [row] = await db.run<{ hit: number; read: number; bytes: number }>(sql`
      SELECT blks_hit::float8 AS hit, blks_read::float8 AS read, pg_database_size(datname)::float8 AS bytes
      FROM pg_stat_database WHERE datname = current_database()`);
    total.hit += row?.hit ?? 0;
    total.read += row?.read ?? 0;
    total.bytes += row?.bytes ?? 0;
  }
  return total;
}
