import { randomBytes } from "node:crypto";
import { testDatabase } from "@shipping/kit/testing/database";
import { webhooksMigrations } from "../operator/account-data.js";
import { findOther, markOf } from "../stream/stream-owner.js";
import { createOwnerRecord } from "./stream-owner.js";

const MINUTE_MS = 60_000;
const opened: Awaited<ReturnType<typeof testDatabase>>[] = [];
afterEach(async () => {
  for (const { drop } of opened.splice(0)) await drop();
});

async function newDatabase() {
  const database = await testDatabase({ directory: webhooksMigrations });
  opened.push(database);
  return database.db;
}

type Db = Awaited<ReturnType<typeof newDatabase>>;

/** The record of a process that started `upMs` ago, by a clock `clockOffsetMs` ahead. */
function processOn(db: Db, { upMs = 10 * MINUTE_MS, clockOffsetMs = 0 } = {}) {
  let asked = 0;
  const now = () => new Date(asked++ === 0 ? 0 : upMs);
  return createOwnerRecord({ db, clockOffsetMs, now, random: randomBytes });
}

/** Adds a token for each half minute from `from` to `to`. */
async function turns(db: Db, from: number, to: number) {
  for (let n = from; n <= to; n++) await processOn(db, { clockOffsetMs: n * 31_000 }).turn();
}

test("replicas that start at the same time make one owner", async () => {
  const db = await newDatabase();
  const owners = await Promise.all(Array.from({ length: 5 }, () => processOn(db).read()));
  expect(new Set(owners.map(({ id }) => id)).size).toBe(1);
  expect(owners[0]).toMatchObject({ id: expect.stringMatching(/^ins_/), tokens: [expect.stringMatching(/^tok_/)] });
});

test("one of several replicas adds a token each half minute, and a process that has just started adds none", async () => {
  const db = await newDatabase();
  await processOn(db).read();
  expect(await processOn(db).turn()).toBeUndefined();
  expect(await processOn(db, { upMs: MINUTE_MS, clockOffsetMs: MINUTE_MS }).turn()).toBeUndefined();
  const replicas = [1, 2, 3].map(() => processOn(db, { clockOffsetMs: MINUTE_MS }).turn());
  expect((await Promise.all(replicas)).filter((turned) => turned !== undefined)).toHaveLength(1);
  await turns(db, 3, 40);
  expect((await processOn(db).read()).tokens).toHaveLength(20);
  // This simulates a clock that was set back.
  expect(await processOn(db).turn()).toBeDefined();
});

test("a copy of the database is told from the original two turns after the backup, and a standby without the last turn is not", async () => {
  const [original, copy] = [await newDatabase(), await newDatabase()];
  await processOn(original).read();
  await turns(original, 1, 3);
  const rows = await original.pool.query("SELECT id, tokens, turned_at FROM stream_owner");
  const { id, tokens, turned_at } = rows.rows[0];
  await copy.pool.query("INSERT INTO stream_owner (id, tokens, turned_at) VALUES ($1, $2, $3)", [
    id,
    tokens,
    turned_at,
  ]);
  const copied = await processOn(copy).read();
  const whose = async () =>
    findOther(markOf({ name: "a", owner: await processOn(original).read() }), { name: "a", owner: copied });
  expect(await whose()).toBeUndefined();
  await turns(original, 5, 5);
  expect(await whose()).toBeUndefined();
  await turns(original, 7, 7);
  expect(await whose()).toBe("a later state of this database, which was restored or copied");
});

test("a claim gives a new ID and remembers the last one", async () => {
  const record = processOn(await newDatabase());
  const old = await record.read();
  const renewed = record.renew(old, 12);
  expect(await record.read()).toEqual(old);
  await record.store(renewed);
  expect(await record.read()).toEqual(renewed);
  expect(renewed).toMatchObject({ id: expect.not.stringMatching(old.id), previous: { id: old.id, until: 12 } });
});
