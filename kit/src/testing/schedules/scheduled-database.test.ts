import { join } from "node:path";
import sql from "sql-template-tag";
import { testDatabase } from "../database.js";
import { explore } from "./explore.js";
import { scheduledDatabases } from "./scheduled-database.js";

test("a run that fails leaves no statement behind: the next one fails the same way", async () => {
  const database = await testDatabase({ directory: join(import.meta.dirname, "../fixtures/prisma") });
  await database.db.pool.query("CREATE TABLE counters AS SELECT 1 AS id");
  const openScheduled = await scheduledDatabases(database, ["counters"]);
  const failing = () =>
    explore(1, async (schedule) => {
      const open = await openScheduled(schedule);
      await database.db.pool.query("INSERT INTO counters VALUES (1)");
      const counting = () => open().run(sql`UPDATE counters SET id = id + 1`);
      const play = () => Promise.all(["first", "second"].map((name) => schedule.run(name, "counts", counting)));
      const { add } = schedule;
      schedule.add = (task) => add(task.what.startsWith("commit") ? { ...task, perform: fail } : task);
      // Every statement is committed in a step of its own.
      schedule.choose = () => 1;
      return { play, check: async () => {} };
    }).catch(String);
  const fail = () => {
    throw new Error("It fails here.");
  };
  expect([await failing(), await failing()]).toEqual(Array(2).fill(expect.stringContaining("It fails here.")));
  await database.drop();
});
