import { testDatabase } from "@shipping/kit/testing/database";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import sql from "sql-template-tag";
import { recordsMigrations } from "./start-records.js";

test("migrations and schema.prisma agree", async () => {
  const { url, drop } = await testDatabase({ directory: recordsMigrations });
  expect(await migrationDrift({ url, directory: recordsMigrations })).toBe("");
  await drop();
});

test("an event's row in the outbox stays in its block when it is marked as published", async () => {
  const { db, drop } = await testDatabase({ directory: recordsMigrations });
  await db.run(sql`
    INSERT INTO outbox (event_id, type, account_id, environment, body, created_at, leased_until)
    SELECT 'evt_' || n, 'shipment.created', 'acc_1', 'sandbox', decode(repeat('00', 900), 'hex'), now(), now()
    FROM generate_series(1, 64) AS n`);
  const blocks = () => db.run<{ block: number }>(sql`SELECT (ctid::text::point)[0] AS block FROM outbox ORDER BY id`);
  const before = await blocks();
  await db.run(sql`UPDATE outbox SET published_at = now()`);
  expect(new Set(before.map(({ block }) => block)).size).toBeGreaterThan(1);
  expect(await blocks()).toEqual(before);
  await drop();
});
