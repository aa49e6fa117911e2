import { testDatabase } from "@shipping/kit/testing/database";
import { migrationFolders } from "@shipping/local/parts";
import sql from "sql-template-tag";
import { loadBacklog, measureClaims } from "./measure-claims.js";

test("a backlog has as many done and due deliveries as were asked for, and the queue knows what is due", async () => {
  const { db, drop } = await testDatabase({ directory: migrationFolders.webhooks });
  await loadBacklog(db, { subscriptions: 20, done: 600, due: 400 });
  expect(await db.run(sql`SELECT state, count(*)::integer AS n FROM deliveries GROUP BY state ORDER BY state`)).toEqual(
    [
      { state: "delivered", n: 600 },
      { state: "pending", n: 400 },
    ],
  );
  expect(await db.run(sql`SELECT count(*)::integer AS n FROM ready_queue WHERE next_due < now()`)).toEqual([{ n: 20 }]);
  await drop();
});

test("claims are the dispatcher's own: of a large enough backlog each takes all slots", async () => {
  const url = process.env.TEST_DATABASE_URL ?? "";
  const { claimedEach, p50, p99 } = await measureClaims(url, { subscriptions: 900, done: 100, due: 7200 });
  expect(claimedEach).toBe(64);
  expect(p99).toBeGreaterThanOrEqual(p50);
});
