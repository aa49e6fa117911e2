import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@shipping/kit/postgres/migrate";
import { migrationFolders, type Part, parts } from "@shipping/local/parts";
import type { ClusterUnderTest } from "../cluster.js";
import { fill, type LargeTable, touch } from "./large-tables.js";
import { superuserUrl, withServer } from "./postgres/replication.js";

/** The tables that are filled: those that later migrations change, and the largest of the other parts, which are filled less. */
const TABLES: Record<Part, { large: readonly LargeTable[]; small?: readonly LargeTable[] }> = {
  records: { large: ["shipments"], small: ["orders"] },
  carrier: { large: ["labels"] },
  tracking: { large: [], small: ["tracking_records"] },
  webhooks: { large: [], small: ["events"] },
  gateway: { large: [], small: ["idempotency_registry"] },
};
const SMALL_SHARE = 10;

/** How a part's later migrations went on the tables of its first one. */
export interface Migrated {
  part: Part;
  applied: number;
  seconds: number;
  /** The slowest statement of those that wrote and read meanwhile, in milliseconds. */
  slowestMs: number;
  statements: number;
}

/** Fills what the first migration of each part makes, and applies all later ones while the tables are in use. Other databases are not touched. */
export async function applyExisting(
  cluster: ClusterUnderTest,
  { rows, say }: { rows: number; say(line: string): void },
): Promise<Migrated[]> {
  const { processes } = await cluster.now();
  const server = processes.find(({ name }) => name.startsWith("postgres"))!;
  const admin = await superuserUrl(cluster.dataDir, server.address);
  const all: Migrated[] = [];
  for (const part of parts) {
    const database = `old_${part}`;
    await withServer(admin, (client) => client.query(`CREATE DATABASE ${database} OWNER ${part}`));
    try {
      all.push(await applyTo(await urlOf(cluster, part, database), part, rows, say));
    } finally {
      await withServer(admin, (client) => client.query(`DROP DATABASE ${database} WITH (FORCE)`));
    }
  }
  return all;
}

async function applyTo(url: string, part: Part, rows: number, say: (line: string) => void): Promise<Migrated> {
  await migrateToFirst(url, part);
  const { large, small = [] } = TABLES[part];
  const sizes = [
    ...large.map((table) => [table, rows] as const),
    ...small.map((table) => [table, rows / SMALL_SHARE] as const),
  ];
  for (const [table, count] of sizes) {
    say(`${part}: filling ${table} with ${count} rows`);
    await withServer(url, (client) => fill(client, table, count));
  }
  let [stopped, slowestMs, statements] = [false, 0, 0];
  const using = sizes.map(([table, count]) =>
    withServer(url, async (client) => {
      for (let n = count + 1; !stopped; n++, statements += 3)
        slowestMs = Math.max(slowestMs, await touch(client, table, n));
    }),
  );
  say(`${part}: migrating`);
  const began = performance.now();
  const { applied } = await migrate({ url, directory: migrationFolders[part] });
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  stopped = true;
  await Promise.all(using);
  return { part, applied: applied.length, seconds, slowestMs: Math.round(slowestMs), statements };
}

async function migrateToFirst(url: string, part: Part): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "first-migration-"));
  try {
    const from = join(migrationFolders[part], "migrations");
    const [first = ""] = (await readdir(from)).filter((name) => /^\d/.test(name)).sort();
    await cp(join(from, first), join(folder, "migrations", first), { recursive: true });
    await migrate({ url, directory: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The URL of another database of a part's role. */
export async function urlOf(cluster: ClusterUnderTest, part: Part, database: string = part): Promise<string> {
  const { databases } = JSON.parse(await readFile(join(cluster.dataDir, "platform.json"), "utf8"));
  return new URL(`/${database}`, databases[part]).href;
}
