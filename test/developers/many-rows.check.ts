import { manyLabels } from "@shipping/carrier/testing/stored-labels";
import { manyKeys, manyRequests } from "@shipping/gateway/testing/stored-requests";
import { testDatabase } from "@shipping/kit/testing/database";
import { pagesRead, watched } from "@shipping/kit/testing/plans";
import { migrationFolders, type Part } from "@shipping/local/parts";
import { manyShipments } from "@shipping/records/testing/stored-records";
import { manyDeliveries } from "@shipping/webhooks/testing/stored-subscriptions";
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
  const write = async (part: Part, table: string, ...statements: Sql[]) => {
    const client = new pg.Client(databaseUrls[part]);
    await client.connect();
    // Switches off triggers and foreign keys, which check row by row.
    await client.query("SET session_replication_role = replica");
    for (const statement of statements) await client.query(statement);
    await client.query(`ANALYZE ${table}`);
    await client.end();
  };
  const caller = { accountId, environment: "sandbox" as const };
  const address = { name: "aaa", postal_code: "aaa", street1: "a", city: "a", country: "DE" };
  await Promise.all([
    write("records", "shipments", manyShipments(caller, { count: ROWS, reference: "aaa", address })),
    write("carrier", "labels", manyLabels(caller, ROWS)),
    write("gateway", "request_log, api_keys", manyRequests(caller, ROWS), manyKeys(caller, ROWS)),
    write("webhooks", "deliveries", manyDeliveries(caller, SUBSCRIPTION, ROWS)),
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
  ["shipments to a country", "/shipments?country=DE"],
  ["shipments to a country that none of them has", "/shipments?country=FR&status=voided"],
  ["shipments by text to a country that none of them has", "/shipments?q=aaa&country=FR"],
  ["shipments, the oldest first", "/shipments?order=oldest"],
  ["shipments whose deliveries fail", "/shipments?failing=1"],
  ["shipments newer than a page's", "/shipments/news?since=2020-01-01T00:00:00.000Z"],
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
