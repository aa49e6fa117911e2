import { randomUUID } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { parts } from "@shipping/local/parts";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { untilDefinite } from "../retrying-client.js";
import { type Report, reportOf } from "./report.js";
import { newSubscriber } from "./subscriber.js";

const WORKERS = 16;

// An order as a shop would send it.
const order = {
  reference: "Order 2026-118204",
  from: {
    name: "Warehouse North",
    company: "Example Trading GmbH",
    street1: "Hafenstr. 12",
    city: "Hamburg",
    postal_code: "20457",
    country: "DE",
  },
  to: {
    name: "Ada Byron",
    street1: "1 Long Lane",
    city: "London",
    postal_code: "EC1A 9HF",
    country: "GB",
    email: "ada@example.com",
  },
  parcel: { weight_kg: 1.25, length_cm: 30, width_cm: 20, height_cm: 10 },
  metadata: { shop: "uk", basket: 118204 },
};

/** Measures the size on disk of 1,000 rows of each table, or messages of the stream: this many parcels go from order to void. */
export async function growth(cluster: ClusterUnderTest, options: { parcels: number }): Promise<Report> {
  const subscriber = await newSubscriber(cluster, { events: EVENT_TYPES });
  let started = 0;
  async function worker(): Promise<void> {
    while (started++ < options.parcels) await ship(cluster, subscriber.key);
  }
  await Promise.all(Array.from({ length: WORKERS }, worker));
  const events = EVENT_TYPES.length * options.parcels;
  await eventually(() => requireArrived(subscriber.arrivals.length, events), { withinMs: 120_000 });
  await eventually(() => requireEmptyOutboxes(cluster), { withinMs: 240_000 });
  await subscriber.close();

  const figures: Record<string, unknown> = { parcels: options.parcels, events };
  for (const part of parts) figures[part] = await kilobytesPerThousand(cluster, part);
  figures.stream = perThousand(await bytesIn(join(cluster.dataDir, "nats")), events);
  return reportOf(figures, []);
}

async function ship(cluster: ClusterUnderTest, key: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const write = { method: "POST", path, key, idempotencyKey: randomUUID(), body } as const;
    const { status, text } = await untilDefinite(cluster.gateways, write);
    if (status > 201) throw new Error(`${path} answered ${status}: ${text}`);
    return JSON.parse(text).data.id as string;
  };
  const order_id = await post("/orders", order);
  const shipment_id = await post("/shipments", { ...order, order_id });
  const label = await post("/labels", { shipment_id, rate_id: `rate_test_${shipment_id}` });
  await post(`/labels/${label}/void`, {});
}

function requireArrived(requests: number, events: number): void {
  if (requests < events) throw new Error(`${requests} of ${events} have arrived.`);
}

async function requireEmptyOutboxes({ databases }: ClusterUnderTest): Promise<void> {
  for (const part of ["records", "carrier"] as const) {
    const { rows } = await databases[part].pool.query("SELECT count(*)::integer AS count FROM outbox");
    if (rows[0].count > 0) throw new Error(`The outbox of ${part} holds ${rows[0].count} events.`);
  }
}

/** Kilobytes of each table, including indexes and TOAST, for 1,000 rows. */
async function kilobytesPerThousand({ databases }: ClusterUnderTest, part: (typeof parts)[number]) {
  const { pool } = databases[part];
  await pool.query("VACUUM ANALYZE");
  const { rows } = await pool.query<{ name: string; rows: string; bytes: string }>(`
    SELECT relname AS name, n_live_tup AS rows, pg_total_relation_size(relid) AS bytes
    FROM pg_stat_user_tables WHERE n_live_tup >= 1000 ORDER BY relname`);
  return Object.fromEntries(rows.map((table) => [table.name, perThousand(Number(table.bytes), Number(table.rows))]));
}

const perThousand = (bytes: number, count: number) => Math.round(bytes / count);

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
