import { join } from "node:path";
import sql from "sql-template-tag";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { isByteaArray } from "./database.js";

const directory = join(import.meta.dirname, "../testing/fixtures/prisma");

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ directory });
});
afterAll(() => database.drop());

async function roundTrip(values: readonly (Uint8Array | null)[]): Promise<(Buffer | null)[]> {
  const rows = await database.db.run<{ value: Buffer | null }>(sql`
    SELECT value FROM unnest(${values}::bytea[]) WITH ORDINALITY AS sent (value, ordinal) ORDER BY ordinal`);
  return rows.map(({ value }) => value);
}

test.each([
  ["bytes of every value", [Buffer.from(Array.from({ length: 256 }, (_, at) => at))]],
  ["several, of different lengths", [Buffer.from("one"), Uint8Array.of(0), Buffer.from("a third")]],
  ["nothing in between, which is not the same as empty", [Buffer.from("one"), null, Buffer.alloc(0)]],
  ["part of a larger buffer", [Buffer.from("abcdef").subarray(2, 4)]],
  ["nothing but nulls", [null, null]],
  ["no values at all", []],
  ["a million bytes", [Buffer.alloc(1_000_000, 7), Buffer.from("after")]],
])("a bytea[] arrives as it was sent: %s", async (_, values) => {
  expect(await roundTrip(values)).toEqual(values.map((value) => value && Buffer.from(value)));
});

test("only arrays of bytes are recognized as such", () => {
  expect(isByteaArray([Buffer.from("a"), null])).toBe(true);
  for (const other of [[], [null], ["a"], [Buffer.from("a"), "a"], Buffer.from("a"), "a", null, 1]) {
    expect(isByteaArray(other)).toBe(false);
  }
});
