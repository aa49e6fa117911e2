import type { withServer } from "./postgres/replication.js";

type Client = Parameters<Parameters<typeof withServer>[1]>[0];

/** Rows of one insertion, so that a run that is stopped stops soon. */
const CHUNK = 500_000;

const address = `{"name":"Ada","street1":"1 Long Lane","city":"Berlin","postal_code":"10115","country":"DE"}`;
const parcel = `{"weight_kg":1,"length_cm":1,"width_cm":1,"height_cm":1}`;

/** Statements that insert the rows from `$1` to `$2` of a table, with the columns that the first migrations made. */
const FILLINGS = {
  orders: `
    INSERT INTO orders (account_id, environment, id, status, reference, sender, recipient, parcel, created_at)
    SELECT 'acc_full', 'sandbox', 'ord_' || lpad(n::text, 26, '0'), 'received', 'PO-' || n, '${address}', '${address}', '${parcel}', now()
    FROM generate_series($1::bigint, $2::bigint) AS n`,
  shipments: `
    INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, label_id, created_at)
    SELECT 'acc_full', 'sandbox', 'shp_' || lpad(n::text, 26, '0'), 'label_created', 'PO-' || n, '${address}', '${address}', '${parcel}',
      'lbl_' || n, now()
    FROM generate_series($1::bigint, $2::bigint) AS n`,
  labels: `
    INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
    SELECT 'acc_full', 'sandbox', 'lbl_' || lpad(n::text, 26, '0'), 'shp_' || lpad(n::text, 26, '0'), 'created', 'service_sandbox',
      'F' || lpad(n::text, 15, '0'), now()
    FROM generate_series($1::bigint, $2::bigint) AS n`,
  events: `
    INSERT INTO events (id, type, account_id, environment, body, received_at)
    SELECT 'evt_' || lpad(n::text, 26, '0'), 'label.created', 'acc_full', 'sandbox', '{}', now()
    FROM generate_series($1::bigint, $2::bigint) AS n`,
  idempotency_registry: `
    INSERT INTO idempotency_registry (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts)
    SELECT 'acc_full', 'sandbox', 'key-' || n, sha256('x'), 'records', 'done', n, 1
    FROM generate_series($1::bigint, $2::bigint) AS n`,
  tracking_records: `
    INSERT INTO tracking_records
    SELECT 'acc_full', 'sandbox', 'F' || lpad(n::text, 15, '0'), 'pre_transit', 'service_sandbox', 'lbl_' || n, 'shp_' || n, now(), now()
    FROM generate_series($1::bigint, $2::bigint) AS n`,
};

/** A table that can be filled. */
export type LargeTable = keyof typeof FILLINGS;

/** Fills a table, as an account that nobody uses. */
export async function fill(client: Client, table: LargeTable, rows: number): Promise<void> {
  for (let first = 1; first <= rows; first += CHUNK) {
    await client.query(FILLINGS[table], [first, Math.min(rows, first + CHUNK - 1)]);
  }
  await client.query(`ANALYZE ${table}`);
}

/** Writes one more row and changes it, and reads it, as requests do. Yields how long the slowest of the three took, in milliseconds. */
export async function touch(client: Client, table: LargeTable, n: number): Promise<number> {
  let slowest = 0;
  for (const [text, values] of [
    [FILLINGS[table], [n, n]],
    [CHANGES[table], []],
    [`SELECT * FROM ${table} WHERE account_id = 'acc_full' LIMIT 1`, []],
  ] as const) {
    const began = performance.now();
    await client.query(text, [...values]);
    slowest = Math.max(slowest, performance.now() - began);
  }
  return slowest;
}

// One that is there, and is not the same for everybody.
const random = (prefix: string, length: number) =>
  `'${prefix}' || lpad((1 + floor(random() * 1000))::bigint::text, ${length}, '0')`;
const CHANGES: Record<LargeTable, string> = {
  orders: `UPDATE orders SET metadata = '{}' WHERE account_id = 'acc_full' AND environment = 'sandbox' AND id = (SELECT ${random("ord_", 26)})`,
  shipments: `UPDATE shipments SET status = 'voided' WHERE account_id = 'acc_full' AND environment = 'sandbox' AND id = (SELECT ${random("shp_", 26)})`,
  labels: `UPDATE labels SET status = 'voided', voided_at = now() WHERE account_id = 'acc_full' AND environment = 'sandbox' AND id = (SELECT ${random("lbl_", 26)})`,
  events: `UPDATE events SET traceparent = '' WHERE id = (SELECT ${random("evt_", 26)})`,
  idempotency_registry: `UPDATE idempotency_registry SET attempts = 2 WHERE account_id = 'acc_full' AND environment = 'sandbox' AND idempotency_key = (SELECT 'key-' || (1 + floor(random() * 1000)))`,
  tracking_records: `UPDATE tracking_records SET status = 'voided' WHERE account_id = 'acc_full' AND environment = 'sandbox' AND tracking_number = (SELECT ${random("F", 15)})`,
};
