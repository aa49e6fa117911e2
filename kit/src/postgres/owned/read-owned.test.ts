import { randomBytes } from "node:crypto";
import { join } from "node:path";
import sql from "sql-template-tag";
import { type TestDatabase, testDatabase } from "../../testing/database.js";
import { costlyNodes, watched } from "../../testing/plans.js";
import { newCaller } from "../../testing/writes.js";
import { readOwned } from "./read-owned.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../../testing/fixtures/prisma") });
});
afterAll(() => database.drop());

const readToken = readOwned<{ token: bigint }>(
  "idempotency_key",
  (askedCondition) => sql`SELECT token FROM ledger WHERE ${askedCondition}`,
);

async function newRow(token: bigint) {
  const caller = newCaller();
  const id = randomBytes(8).toString("hex");
  await database.db.run(sql`
    INSERT INTO ledger (account_id, environment, idempotency_key, token, kind)
    VALUES (${caller.accountId}, ${caller.environment}, ${id}, ${token}, 'tombstone')`);
  return { caller, id };
}

describe("readOwned", () => {
  test("finds only the caller's row", async () => {
    const { caller, id } = await newRow(7n);
    expect(await readToken(database, { caller, id })).toMatchObject({ token: 7n });
    expect(await readToken(database, { caller: newCaller(), id })).toBeUndefined();
    expect(await readToken(database, { caller: { ...caller, environment: "live" }, id })).toBeUndefined();
    expect(await readToken(database, { caller, id: "other" })).toBeUndefined();
  });

  test("many at once, some of them equal, each get their own", async () => {
    const [one, two] = await Promise.all([newRow(1n), newRow(2n)]);
    const missing = { caller: one.caller, id: "missing" };
    const asked = [one, two, missing, one, two, missing, one];
    const found = await Promise.all(asked.map((each) => readToken(database, each)));
    expect(found.map((row) => row?.token)).toEqual([1n, 2n, undefined, 1n, 2n, undefined, 1n]);
  });

  test("finds rows by their key's index, however many there are, alone and with others", async () => {
    const { db, statements } = watched(database.db);
    const row = await newRow(4n);
    for (const count of [1, 2]) await Promise.all(Array.from({ length: count }, () => readToken({ db }, row)));
    const costly = await Promise.all(statements.map((statement) => costlyNodes(database.db, statement)));
    expect(costly.flat()).toEqual([]);
  });

  test("a key that PostgreSQL cannot take fails alone", async () => {
    const good = await newRow(3n);
    const bad = { caller: good.caller, id: "\u0000" };
    const ends = await Promise.allSettled([good, good, bad, good].map((each) => readToken(database, each)));
    expect(ends.map((end) => end.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });
});
