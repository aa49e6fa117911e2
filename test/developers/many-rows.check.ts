import { testDatabase } from "@shipping/kit/testing/database";
import { pagesRead, watched } from "@shipping/kit/testing/plans";
import { migrationFolders, type Part } from "@shipping/local/parts";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import { useArea } from "./area.js";

/** Number of rows per table: enough for more pages than a statement may read. `TEST_ROWS=1000000` takes minutes, and reads as few pages. */
const ROWS = Number(process.env.TEST_ROWS ?? 300_000);
/** Pages of 8 KB that a statement may read, cached or not. A count does not depend on how busy the machine is, as a time would. */
const MAX_PAGES = 3_500;

const SUBSCRIPTION = `whk_${"a".repeat(26)}`;

const asked: Partial<Record<Part, Sql[]>> = {};
const area = useArea({
  async databaseOf(part) {
    const database = await testDatabase({ directory: migrationFolders[part] });
    const { db, statements } = watched(database.db);
    asked[part] = statements;
    return { ...database, db };
  },
});

/** Gives an account's sandbox this many rows of each kind. All begin with the same letter in every searchable text. */
async function fill(accountId: string): Promise<void> {
  const { databaseUrls } = area.stack();
  const write = async (part: Part, table: string, statement: string) => {
    const client = new pg.Client(databaseUrls[part]);
    await client.connect();
    // Switches off triggers and foreign keys, which check row by row.
    await client.query("SET session_replication_role = replica");
    await client.query(statement);
    await client.query(`ANALYZE ${table}`);
    await client.end();
  };
  const n = `generate_series(1, ${ROWS}) AS n`;
  const owner = `'${accountId}', 'sandbox'`;
  const address = `'{"name":"aaa","postal_code":"aaa","street1":"a","city":"a","country":"DE"}'`;
  const at = "now() - n * interval '10 ms'";
  await Promise.all([
    write(
      "records",
      "shipments",
      `INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, label_id, created_at)
       SELECT ${owner}, 'shp_' || lpad(n::text, 26, 'a'), 'label_created', 'aaa', ${address}, ${address}, '{}', 'lbl_' || lpad(n::text, 26, 'a'), ${at} FROM ${n}`,
    ),
    write(
      "carrier",
      "labels",
      `INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
       SELECT ${owner}, 'lbl_' || lpad(n::text, 26, 'a'), 'shp_' || lpad(n::text, 26, 'a'), 'created', 'test', 'TEST' || n, ${at} FROM ${n}`,
    ),
    write(
      "gateway",
      "request_log",
      `INSERT INTO request_log (at, request_id, account_id, environment, key_id, method, path, status, code, ms, idempotency_key, resource_id, replayed, source, user_agent, more)
       SELECT now() - n * interval '10 us', 'req_' || n, ${owner}, 'key_a', 'POST', '/api/v1/orders', 422,
         (ARRAY['invalid_request', 'not_found', 'unauthorized', 'rate_limited', 'missing_scope', 'invalid_json', 'idempotency_conflict'])[1 + n % 7],
         1, 'aaa', 'aaa', false, '', '', 0 FROM ${n}`,
    ).then(() =>
      write(
        "gateway",
        "api_keys",
        `INSERT INTO api_keys (id, account_id, environment, name, hash, last_four, scopes, created_at, revoked_at)
         SELECT 'key_' || lpad(n::text, 26, 'a'), ${owner}, 'aaa', sha256(n::text::bytea), 'aaaa', ARRAY['orders:read'], ${at}, ${at} FROM ${n}`,
      ),
    ),
    write(
      "webhooks",
      "deliveries",
      `WITH subscribed AS (
         INSERT INTO subscriptions (id, account_id, environment, url, events, status, secret, created_at)
         VALUES ('${SUBSCRIPTION}', ${owner}, 'https://example.com', ARRAY['order.created'], 'active', '\\x00', now()) RETURNING id),
       queued AS (INSERT INTO ready_queue (subscription_id, next_due) SELECT id, 'infinity' FROM subscribed)
       INSERT INTO deliveries (subscription_id, event_id, state, attempt, next_at)
       SELECT '${SUBSCRIPTION}', 'evt_' || n, 'pending', 0, now() + interval '1 day' FROM ${n}`,
    ),
  ]);
}

let open: (path: string) => Promise<number>;
beforeAll(async () => {
  const { visitor, accountId } = await area.signIn({ role: "viewer" });
  await fill(accountId);
  open = async (path) => (await visitor.get(`/developers/sandbox${path}`)).status;
}, 900_000);

const id = (prefix: string) => `${prefix}_${"500000".padStart(26, "a")}`;

test.each([
  ["the overview", ""],
  ["a search of everything", "/search?q=aaa"],
  ["shipments", "/shipments"],
  ["shipments after one of them", `/shipments?after=${id("shp")}`],
  ["shipments by text", "/shipments?q=aaa"],
  ["shipments by letters with several spellings", "/shipments?q=%C3%A4aa"],
  ["shipments by a text and a status that none of them has", "/shipments?q=aaa&status=voided"],
  ["labels", "/labels"],
  ["labels by text", "/labels?q=aaa"],
  ["labels by a status that none has", "/labels?status=voided"],
  ["requests", "/requests"],
  ["requests by status", "/requests?status=4xx"],
  ["requests by status and method that none has", "/requests?status=4xx&method=DELETE"],
  ["requests by status and key", "/requests?status=4xx&key=key_b"],
  ["requests by method", "/requests?method=DELETE"],
  ["requests by text", "/requests?q=aaa"],
  ["subscriptions", "/webhooks"],
  ["a subscription with its health", `/webhooks/${SUBSCRIPTION}`],
  ["keys", "/keys"],
  ["keys after one of them", `/keys?after=${id("key")}`],
])("%s: each statement reads a bounded number of pages, however many rows there are", async (_what, path) => {
  for (const statements of Object.values(asked)) statements.length = 0;
  expect(await open(path)).toBe(200);
  const costs: string[] = [];
  for (const [part, statements] of Object.entries(asked)) {
    for (const statement of [...statements]) {
      if (!/^\s*(?:SELECT|WITH)/.test(statement.text) || /INSERT|UPDATE|DELETE/.test(statement.text)) continue;
      const pages = await pagesRead(area.stack().databases[part as Part], statement);
      if (pages > MAX_PAGES) costs.push(`${part}: ${pages} pages for ${statement.text}`);
    }
  }
  expect(costs).toEqual([]);
});
