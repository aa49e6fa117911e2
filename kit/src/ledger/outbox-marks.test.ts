import { join } from "node:path";
import type { Sql } from "sql-template-tag";
import type { Database } from "../postgres/database.js";
import { createLog } from "../process/log.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { outboxTestbed, testBus, thingCreated } from "../testing/outbox-testbed.js";

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
});
afterEach(() => database.drop());

test("events that are published but cannot be marked are logged as that, once for all of a batch", async () => {
  const { db } = database;
  const { outboxOn, commit } = outboxTestbed(db);
  const lines: unknown[] = [];
  const log = createLog({ part: "records", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const isMark = (statement: Sql) => statement.text.includes("SET published_at");
  const run: Database["run"] = (statement) =>
    isMark(statement) ? Promise.reject(new Error("the disk is full")) : db.run(statement);
  const bus = testBus();
  const outbox = outboxOn(bus, { db: { ...db, run }, log });
  const stored = [thingCreated(), thingCreated(), thingCreated()];
  for (const one of stored) await commit(outbox, one);
  for (const one of stored) outbox.committed(one);
  await outbox.stop();
  expect(bus.taken).toHaveLength(3);
  expect(lines).toMatchObject([{ msg: "published events not marked; the relay repeats them", events: 3 }]);
});
