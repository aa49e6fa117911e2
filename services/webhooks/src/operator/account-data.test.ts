import type { Database } from "@shipping/kit/postgres/database";
import { eraseBatch, exportPage } from "@shipping/kit/service/account-data";
import { costlyNodes } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import sql, { type Sql } from "sql-template-tag";
import { acceptEvents } from "../dispatch/accept-event.js";
import { eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { webhooksAccountData } from "./account-data.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);

/** Opens a database that records the statements of exports and erasures, which are not prepared. */
function recording(db: Database): { db: Database; statements: Sql[] } {
  const statements: Sql[] = [];
  const query = (statement: Sql) => {
    statements.push(statement);
    return db.listPool.query(statement);
  };
  return { db: { ...db, listPool: { query } as unknown as Database["listPool"] }, statements };
}

test("the rows of an account are found by an index that starts with the account, except events and messages that could not be read", async () => {
  const deps = webhooks.idle();
  const caller = newCaller();
  await subscribe(deps, caller, "https://shop.example.com/hooks");
  await acceptEvents(deps, eventsFor(caller, 3));
  const { db, statements } = recording(webhooks.db);
  const sizes = { rows: 1, bytes: 1_000, walked: 20_000 };
  const walked: string[] = [];
  for (const { name } of webhooksAccountData.tables) {
    statements.length = 0;
    const at = { accountId: caller.accountId, cursor: JSON.stringify([name]) };
    const { nextCursor: cursor } = await exportPage(db, webhooksAccountData, at, sizes);
    await exportPage(db, webhooksAccountData, { ...at, cursor }, sizes);
    await eraseBatch(db, webhooksAccountData, at, sizes);
    const costly = await Promise.all(statements.map((statement) => costlyNodes(webhooks.db, statement)));
    // PostgreSQL also counts the CTE of a page as a scan.
    const ofTables = costly.flat().filter((node) => node.includes(` of all of ${name}`));
    if (ofTables.length > 0) walked.push(name);
  }
  expect(walked).toEqual(["events", "dead_events"]);
  expect(await webhooks.db.run(sql`SELECT FROM deliveries`)).toHaveLength(2);
});
