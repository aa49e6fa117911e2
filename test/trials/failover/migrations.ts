import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "@shipping/kit/postgres/migrate";
import { createLog } from "@shipping/kit/process/log";
import { migrationFolders } from "@shipping/local/parts";
import { startCluster } from "../../platform/cluster.js";
import type { Report, Say } from "../kit/report.js";
import { seconds } from "../kit/statistics.js";
import { startLoad } from "./load.js";
import { databaseUrl, withServer } from "./postgres/replication.js";
import { verdict } from "./verdict.js";

/** One migration of each kind that a release may have. */
const SAMPLES: readonly (readonly [name: string, script: string])[] = [
  ["add_column", "ALTER TABLE labels ADD COLUMN zone integer, ADD COLUMN weight_class text NOT NULL DEFAULT 'small';"],
  [
    "add_index",
    "-- concurrently\nCREATE INDEX CONCURRENTLY IF NOT EXISTS labels_weight_class ON labels (account_id, weight_class, created_at);",
  ],
  [
    "backfill",
    "-- batches of labels\nUPDATE labels SET zone = 1 WHERE ctid >= $1 AND ctid < $2 AND zone IS NULL AND account_id = 'acc_full';",
  ],
  ["add_constraint", "ALTER TABLE labels ADD CONSTRAINT labels_zone CHECK (zone > 0) NOT VALID;"],
  ["validate_constraint", "ALTER TABLE labels VALIDATE CONSTRAINT labels_zone;"],
];
// A transaction that blocks each migration.
const IN_THE_WAY_MS = 3_000;
const MAX_MS = 1_000;
const CHUNK = 500_000;

type Client = Parameters<Parameters<typeof withServer>[1]>[0];

/** Migrations on tables of `rows` rows, under load and with transactions in their way: no request waits longer than a second for them. */
export async function migrations(say: Say, rows: number, baselineMs = 10_000): Promise<Report> {
  const cluster = await startCluster([], { RATE_LIMIT_PER_MINUTE: "1000000" });
  try {
    const url = await databaseUrl(cluster.dataDir, "carrier");
    say(`carrier: filling labels with ${rows} rows`);
    await withServer(url, (client) => fillLabels(client, rows));
    const load = await startLoad(cluster, { clients: 4 });
    await sleep(baselineMs);
    const longestWithout = load.attempts.longestSince(0);
    const samples = [];
    for (const [index, [sample]] of SAMPLES.entries()) {
      say(sample);
      const began = performance.now();
      const waits = await applySample(url, index);
      const tookSeconds = seconds(performance.now() - began);
      samples.push({ sample, tookSeconds, waits, longestMs: load.attempts.longestSince(began) });
    }
    const [left] = await withServer(url, async (client) => {
      const { rows: found } = await client.query<{ unfilled: string; invalid: string }>(`
        SELECT (SELECT count(*) FROM labels WHERE zone IS NULL AND account_id = 'acc_full') AS unfilled,
          (SELECT count(*) FROM pg_index WHERE NOT indisvalid) + (SELECT count(*) FROM pg_constraint WHERE NOT convalidated) AS invalid`);
      return found;
    });
    return await verdict(say, cluster, load, {
      figures: { rows, longestWithout, samples },
      promises: [
        [
          samples.every(({ longestMs }) => longestMs <= MAX_MS),
          "A request waited longer than a second for a migration.",
        ],
        [samples[0]!.waits > 0, "Nothing was in the way of the first migration."],
        [left?.unfilled === "0" && left.invalid === "0", "A migration was not complete."],
      ],
    });
  } finally {
    await cluster.stop();
  }
}

/** Fills the table of labels for an unused account, in chunks, so that a run that is stopped stops soon. */
async function fillLabels(client: Client, rows: number): Promise<void> {
  for (let first = 1; first <= rows; first += CHUNK) {
    await client.query(
      `INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
       SELECT 'acc_full', 'sandbox', 'lbl_' || lpad(n::text, 26, '0'), 'shp_' || lpad(n::text, 26, '0'), 'created', 'service_sandbox',
         'F' || lpad(n::text, 15, '0'), now()
       FROM generate_series($1::bigint, $2::bigint) AS n`,
      [first, Math.min(rows, first + CHUNK - 1)],
    );
  }
  await client.query("ANALYZE labels");
}

/** Applies one more migration beside those of the part and the earlier samples, as the chart's job does. Yields the number of its waits. */
async function applySample(url: string, index: number): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "sample-migration-"));
  const lines: string[] = [];
  const log = createLog({ part: "carrier", destination: { write: (line: string) => void lines.push(line) } });
  try {
    await cp(join(migrationFolders.carrier, "migrations"), join(directory, "migrations"), { recursive: true });
    for (const [number, [name, script]] of SAMPLES.slice(0, index + 1).entries()) {
      const folder = join(directory, "migrations", `9999010100000${number}_${name}`);
      await mkdir(folder);
      await writeFile(join(folder, "migration.sql"), script);
    }
    await withServer(url, async (client) => {
      await client.query("BEGIN; SELECT FROM labels LIMIT 1 FOR UPDATE");
      const migrating = migrate({ url, directory, log });
      migrating.catch(() => {});
      await sleep(IN_THE_WAY_MS);
      await client.query("COMMIT");
      await migrating;
    });
    return lines.filter((line) => line.includes('"migration waits"')).length;
  } finally {
    await rm(directory, { recursive: true });
  }
}
