import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { countIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { beginErasing, setSuspended } from "./manage-accounts.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const waiting = async () => {
  const [row] = await gateway.db.run<{ count: bigint }>(sql`
    SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  return row?.count;
};

test.each([
  ["request_log", "SELECT now(), 'req', $1, 'live', NULL, '', '', 1, NULL, NULL, 1, NULL, false, NULL, '', '', 0", 1],
  ["request_counts", "SELECT $1, 'live', now(), 'write', 1", 1],
  // The erasure has a line of its own.
  ["account_changes", "SELECT 'aud', $1, now(), '', '', NULL, '', '', ''", 2],
])(
  "a statement that writes to %s when an erasure begins has ended before anything is erased",
  async (table, row, added) => {
    const { accountId } = await gateway.newKey();
    await setSuspended(gateway.admin, accountId, true);
    await gateway.db.run(sql`SELECT made FROM keep_request_log(now(), 7)`);
    const before = await countIn(gateway.db, table, { accountId });
    const writer = await openTransaction(gateway.db);
    let beginning = Promise.resolve();
    try {
      await writer.query(`INSERT INTO ${table} ${row}`, [accountId]);
      beginning = beginErasing(gateway.admin, accountId);
      await eventually(async () => expect(await waiting()).toBe(1n));
      await writer.query("COMMIT");
    } finally {
      writer.release();
    }
    await beginning;
    expect(await countIn(gateway.db, table, { accountId })).toBe(before + added);
  },
);
