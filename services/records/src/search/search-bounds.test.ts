import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { cpuMs, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller } from "@shipping/kit/testing/writes";
import type { SearchSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import { SearchShipmentsRequestSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { copyShipment, recordsUnderTest } from "../testing/records-under-test.js";
import { seedFor, toHashes } from "./hashes.js";
import { searchShipments } from "./search-records.js";
import { toSearchText } from "./search-text.js";

const records = forAllTests(recordsUnderTest);

/** How much later it seems to be, each time that a search looks at the clock. */
let passesMs = 0;
beforeEach(() => {
  let now = 0;
  passesMs = 0;
  jest.spyOn(performance, "now").mockImplementation(() => (now += passesMs));
});
afterEach(() => jest.restoreAllMocks());

/** Searches a caller's shipments, and returns the statements that compared texts, too. */
async function find(caller: Caller, search: MessageInitShape<typeof SearchSchema>) {
  const { db, statements } = watched(records.deps.db);
  const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, rowsOnly: true, ...search } });
  const found = await searchShipments({ ...records.deps, db }, request);
  const comparing = statements.filter(({ text }) => text.includes("LIKE ALL") || text.includes("find_shipments"));
  const ids: string[] = jsonIn(found).map(({ id }: { id: string }) => id);
  return { ...found, ids, comparing };
}

/** Creates the shipments of a segment, found by these texts in turns, each a second older than the one before. */
async function fillSegment(caller: Caller, texts: string[], { daysAgo = 1, rows = 16_384 } = {}) {
  const segment = 10 - daysAgo;
  const hashes = texts.map((text) => `{${toHashes(text, seedFor(caller, segment))}}`);
  const id = (await records.newShipment(caller)).id as string;
  for (let first = 1; first <= rows; first += 512)
    await records.deps.db.run(sql`
      WITH made AS (
        INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, created_at)
        SELECT account_id, environment, 'shp_' || ${daysAgo}::integer || '_' || n, 'draft', reference, sender, recipient, parcel,
          created_at - ${daysAgo}::integer * interval '1 day' - n * interval '1 second'
        FROM shipments, generate_series(${first}::integer, ${Math.min(rows, first + 511)}::integer) AS n WHERE id = ${id} RETURNING *),
      hashed AS (
        INSERT INTO shipment_search (account_id, environment, id, created_at, text, hashes)
        SELECT account_id, environment, id, created_at, (${texts}::text[])[turn], (${hashes}::text[])[turn]::integer[]
        FROM (SELECT *, 1 + split_part(id, '_', 3)::integer % ${texts.length}::integer AS turn FROM made) AS numbered)
      INSERT INTO search_segments AS filled (account_id, environment, record_table, segment, rows, oldest, newest)
      SELECT account_id, environment, 'shipments', ${segment}::integer, count(*), min(created_at), max(created_at)
      FROM made GROUP BY account_id, environment
      ON CONFLICT (account_id, environment, record_table, segment) DO UPDATE SET oldest = excluded.oldest`);
  await records.deps.db.run(sql`DELETE FROM shipment_search_recent WHERE account_id = ${caller.accountId}`);
}

/** The longest text that a record can be found by, of such words. */
function longestText(word: (n: number) => string): string {
  const address = { name: word(1), street1: "", city: "", postal_code: "", country: "DE" };
  const metadata = Array.from({ length: 700 }, (_, n) => word(n)).join(" ");
  const reference = word(0).repeat(200).slice(0, 200);
  const text = toSearchText({ reference, from: address, to: address, metadata });
  expect(Buffer.byteLength(text)).toBeGreaterThan(1_150);
  return text;
}

const LATIN = "abcdefghijklmnopqrstuvwxyz";
const THAI = "กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศ";
const twoLetters = (letters: string, n: number) =>
  [n, n / letters.length].map((at) => letters[Math.floor(at) % letters.length]).join("");

describe("a statement of a search takes at most 30 ms of CPU", () => {
  test.each<[string, (n: number) => string]>([
    ["Thai words that begin alike", (n) => `กขคฆงจฉชซ${twoLetters(THAI, n)}`],
    ["one letter again and again", (n) => `${"a".repeat(20 + (n % 9))}${twoLetters(LATIN, n)}`],
    ["digits", (n) => `1111${1_000 + n}`],
  ])("among records with the longest texts, of %s", async (_what, word) => {
    const [recent, hashed] = [newCaller(), newCaller()];
    const text = longestText(word);
    await fillSegment(hashed, [text]);
    // A few hundred more than are kept before the oldest get hashes.
    await records.deps.db.run(sql`
      INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
      SELECT ${recent.accountId}, ${recent.environment}, 'shp_' || n, now(), ${text} FROM generate_series(1, 800) AS n`);
    // These stand at the end of each text, but the last one, which no text has.
    const words = text.trim().split(" ").slice(-7);
    const none = `${words[6]!.slice(0, 9)}zz`;
    for (const text of [none, [...words, none].join(" "), `${none[0]} ${words[1]}-1${none} ${words[2]} 1`])
      for (const caller of [recent, hashed]) {
        const ms = await cpuMs(records.deps.db, (await find(caller, { text })).comparing.at(-1)!, 30);
        expect(ms).toBeGreaterThan(0);
        expect(ms).toBeLessThan(30);
      }
  });

  test.each<[string, string, number]>([
    ["two words, of which each record has one, in a twelfth of the segments that it reads", "amazon ebay", 30 / 12],
    ["eight words, of which each record has seven", "1111 2222 3333 4444 5555 6666 7777 8888", 30],
  ])("for %s", async (_what, text, mostMs) => {
    const caller = newCaller();
    const words = text.split(" ");
    await fillSegment(
      caller,
      words.map((missing) => ` ${words.filter((word) => word !== missing).join(" ")} `),
    );
    const { comparing, ...found } = await find(caller, { text });
    expect(found).toMatchObject({ ids: [], incomplete: false });
    const ms = await cpuMs(records.deps.db, comparing.at(-1)!, mostMs);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThan(mostMs);
  });
});

test("of records that have all the hashes, it compares the newest, and says that it did not compare all", async () => {
  const caller = newCaller();
  const text = longestText((n) => `abcdefghi${twoLetters(LATIN, n)}`);
  await fillSegment(caller, [text]);
  const mark = (id: string) =>
    records.deps.db.run(sql`
      UPDATE shipment_search SET text = text || ${"abcdefghizz"} WHERE account_id = ${caller.accountId} AND id = ${id}`);
  await mark("shp_1_16000");
  expect(await find(caller, { text: "abcdefghizz" })).toMatchObject({ ids: [], incomplete: true });
  await mark("shp_1_900");
  const found = await find(caller, { text: "abcdefghizz" });
  expect(found.ids).toEqual(["shp_1_900"]);
  expect([found.incomplete, found.nextCursor]).toEqual([true, undefined]);
  const createdBefore = new Date(Date.parse("2026-11-20T10:00:00Z") - 15_000_000).toISOString();
  expect((await find(caller, { text: "abcdefghizz", createdBefore })).ids).toEqual(["shp_1_16000"]);
  // Records of which all are found are not compared further than a page.
  const page = await find(caller, { text: "abcdefghiaa", limit: 2 });
  expect(page.ids).toEqual(["shp_1_1", "shp_1_2"]);
  expect(page).toMatchObject({ incomplete: false, nextCursor: "shp_1_2" });
});

test("of recent records with long texts, it compares the newest, and says that it did not compare all", async () => {
  const caller = newCaller();
  const id = (await records.newShipment(caller)).id as string;
  await records.deps.db.run(copyShipment(id, 600));
  await records.deps.db.run(sql`
    UPDATE shipment_search_recent SET text = ${longestText((n) => `${"a".repeat(20 + (n % 9))}${twoLetters(LATIN, n)}`)}
    WHERE account_id = ${caller.accountId} AND id <> ${id}`);
  expect(await find(caller, { text: "grace" })).toMatchObject({ ids: [id], incomplete: false });
  expect(await find(caller, { text: `grace ${"a".repeat(30)}` })).toMatchObject({ ids: [], incomplete: true });
});

test("of segments with many records that have all the hashes, a statement reads as many as it can in full", async () => {
  const caller = newCaller();
  await fillSegment(caller, [" other "], { rows: 1 });
  await fillSegment(caller, [" versandhaus "], { daysAgo: 2, rows: 10_100 });
  await fillSegment(caller, [" versandhaus "], { daysAgo: 3, rows: 10_100 });
  const found = await find(caller, { text: "versandhaus", limit: 2 });
  expect(found.ids).toEqual(["shp_2_1", "shp_2_2"]);
  expect(found).toMatchObject({ incomplete: false, nextCursor: "shp_2_2" });
  // The recent ones, the first segment, and the two others, of which it leaves out the last.
  expect(found.comparing).toHaveLength(3);
  expect((await find(caller, { text: "versandhaus", limit: 2, after: "shp_2_10099" })).ids).toEqual([
    "shp_2_10100",
    "shp_3_1",
  ]);
});

test("it asks the index for two dozen hashes at once", async () => {
  const caller = newCaller();
  for (let daysAgo = 1; daysAgo <= 9; daysAgo++) await fillSegment(caller, [" schneider "], { daysAgo, rows: 1 });
  const count = async (text: string) => (await find(caller, { text })).comparing.length - 1;
  expect(await count("nobody")).toBe(3);
  expect(await count("one two three four five six seven")).toBe(4);
  // Its words find what it finds in one piece, so this is not looked for as well.
  expect(await count("WEB-2026-10403")).toBe(3);
});

test("it ends after half a second, and says that it did not search everything", async () => {
  const caller = newCaller();
  for (const daysAgo of [1, 2, 3]) await fillSegment(caller, [" schneider "], { daysAgo, rows: 2 });
  expect((await find(caller, { text: "schneider" })).ids).toHaveLength(6);
  passesMs = 501;
  const found = await find(caller, { text: "schneider" });
  expect(found.ids).toEqual(["shp_1_1", "shp_1_2"]);
  expect(found).toMatchObject({ incomplete: true });
});
