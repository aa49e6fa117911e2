import { create } from "@bufbuild/protobuf";
import { costlyNodes, cpuMs, pagesRead, watched } from "@shipping/kit/testing/plans";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import type { Search } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  SearchOrdersRequestSchema,
  SearchShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { copyShipment, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createShipment } from "../write/create-shipment.js";
import { hashRecent } from "./recent.js";
import { searchOrders, searchShipments } from "./search-records.js";
import { toSearchText } from "./search-text.js";

let records: Awaited<ReturnType<typeof recordsUnderTest>>;
beforeAll(async () => {
  records = await recordsUnderTest();
});
afterAll(() => records.end());

test("every search reads its rows by an index, however many there are", async () => {
  const { db, statements } = watched(records.deps.db);
  const deps = { ...records.deps, db };
  const caller = newCaller();
  const id = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json.id as string;
  const find = (search: Partial<Search>) => {
    const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, ...search } as Search });
    return searchShipments(deps, request);
  };
  await hashRecent(deps, { ...caller, table: "shipments" }, 0);
  await find({ after: id });
  await find({ text: "gra", ids: [id], status: "draft", after: id });
  await searchShipments(deps, create(SearchShipmentsRequestSchema, { caller, search: { limit: 1 }, orderId: "ord_a" }));
  await searchOrders(deps, create(SearchOrdersRequestSchema, { caller, search: { limit: 1, text: "gra" } }));
  const planned = statements.filter(({ text }) => !text.includes("compare_"));
  for (const statement of planned) expect(await costlyNodes(db, statement)).toEqual([]);
  expect(planned).toHaveLength(13);

  // That of the words is planned each time, in a function, of which a plan shows nothing: what it reads tells.
  await db.run(
    copyShipment(toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json.id as string, 2_000),
  );
  while (await hashRecent(records.deps, { ...caller, table: "shipments" }, 0));
  await db.run(sql`ANALYZE shipment_search`);
  const [table] = await db.run<{ pages: number }>(
    sql`SELECT relpages AS pages FROM pg_class WHERE oid = 'shipment_search'::regclass`,
  );
  statements.length = 0;
  await find({ text: "gruse" });
  const [byWords] = statements.filter(({ text }) => text.includes("compare_records"));
  expect(await pagesRead(db, byWords!)).toBeLessThan(table!.pages / 2);
});

describe("the dearest search of an account's recent rows takes at most 30 ms of CPU", () => {
  const spread = (letters: string) => (n: number) =>
    [n, n / letters.length, n * 31].map((at) => letters[Math.floor(at) % letters.length]).join("");
  const repeated = (n: number) => "a".repeat(30 + (n % 30)) + "bcdefghijk"[n % 10]!;
  test.each([
    ["Latin letters", spread("0123456789abcdefghijklmnopqrstuvwxyz")],
    ["Thai letters", spread("กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศ")],
    ["one letter again and again", repeated],
  ])("with the longest texts, of %s", async (_name, word) => {
    const { db, statements } = watched(records.deps.db);
    const caller = newCaller();
    const address = JSON.stringify({ name: word(1), city: "", postal_code: "" });
    const metadata = JSON.stringify(Array.from({ length: 700 }, (_, n) => word(n)).join(" "));
    const reference = word(0).repeat(100).slice(0, 200);
    const text = toSearchText({ reference, sender: address, recipient: address, metadata });
    expect(Buffer.byteLength(text)).toBeGreaterThan(1_150);
    // A few hundred more than are kept before the oldest get hashes.
    await db.run(sql`
      INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
      SELECT ${caller.accountId}, ${caller.environment}, 'shp_' || n, now(), ${text} FROM generate_series(1, 800) AS n`);
    const [first, last] = [word(0)[0]!, word(35)[0]!];
    const texts = [
      last.repeat(4),
      Array.from({ length: 8 }, (_, n) => word(n)[0]).join(" "),
      Array.from({ length: 8 }, (_, n) => word(n * 31)).join(" "),
      Array.from({ length: 8 }, (_, n) => `${first.repeat(4)}${word(n)}`).join(" "),
      `${first} 1-${first} 2 ${first} 3 ${last}9`,
      `${first} ${word(1)} 1 2 3 4 5 ${last}${last}9`,
      `${first.repeat(120)}x`,
      `${first.repeat(4)}x-${first.repeat(4)}y ${first.repeat(4)}9`,
    ];
    for (const text of texts) {
      statements.length = 0;
      const search = { limit: 100, text, rowsOnly: true };
      await searchShipments({ ...records.deps, db }, create(SearchShipmentsRequestSchema, { caller, search }));
      const recent = statements.filter((statement) => statement.text.includes("shipment_search_recent"));
      expect(recent).toHaveLength(1);
      const ms = await cpuMs(db, recent[0]!);
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThan(30);
    }
  });
});

test("a word that begins like one of every record's, but that none has, is not looked for in all of them", async () => {
  const { db, statements } = watched(records.deps.db);
  const caller = newCaller();
  const owner = sql`account_id = ${caller.accountId} AND environment = ${caller.environment}`;
  const id = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json.id as string;
  await db.run(sql`UPDATE shipment_search_recent SET text = ' versandhaus ' WHERE ${owner}`);
  for (let first = 1; first < 32_768; first += 2_000)
    await db.run(copyShipment(id, Math.min(2_000, 32_768 - first), first));
  while (await hashRecent(records.deps, { ...caller, table: "shipments" }, 0));
  // Of older ones, none has such a word.
  await db.run(sql`
    INSERT INTO search_segments (account_id, environment, record_table, segment, rows, oldest, newest)
    SELECT account_id, environment, record_table, older, rows, oldest - older * -interval '1 day', newest - older * -interval '1 day'
    FROM search_segments, generate_series(-9, -3) AS older WHERE ${owner} AND segment = -1`);
  const find = async (text: string) => {
    statements.length = 0;
    const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, text, rowsOnly: true } });
    const { incomplete } = await searchShipments({ ...records.deps, db }, request);
    const reads = statements.filter((statement) => statement.text.includes("compare_records"));
    return { incomplete, reads: reads.length };
  };
  expect(await find("versandhandel")).toEqual({ incomplete: true, reads: 2 });
  expect(await find("nobody")).toEqual({ incomplete: false, reads: 3 });
});

test("no index but the primary key, and that of an order's shipments, can be taken for that of an account", async () => {
  const rows = await records.deps.db.run<{ indexdef: string }>(sql`
    SELECT indexdef FROM pg_indexes WHERE tablename IN ('orders', 'shipments') AND indexdef LIKE '%(account_id, environment,%'`);
  expect(rows.map(({ indexdef }) => /INDEX (\w+) ON/.exec(indexdef)?.[1]).sort()).toEqual([
    "orders_pkey",
    "shipments_by_order",
    "shipments_pkey",
  ]);
});

test("a search for the labels of shipments selects nothing else of them, and yields those that the shipments name", async () => {
  const { db, statements } = watched(records.deps.db);
  const caller = newCaller();
  for (const _ of [1, 2, 3]) await createShipment(records.deps, shipmentRequest(caller));
  const labelled = sql`UPDATE shipments SET status = 'label_created', label_id = 'lbl_' || id`;
  await records.deps.db.run(sql`${labelled} WHERE account_id = ${caller.accountId}`);
  const request = { caller, search: { limit: 2, text: "grace" } };
  const find = (labelIdsOnly: boolean) =>
    searchShipments({ ...records.deps, db }, create(SearchShipmentsRequestSchema, { ...request, labelIdsOnly }));
  const { shipments, nextCursor } = await find(false);
  statements.length = 0;
  const labelIds = shipments.map(({ labelId }) => labelId);
  expect(await find(true)).toMatchObject({ shipments: [], labelIds, nextCursor });
  expect(statements.filter(({ text }) => /recipient|sender|metadata/.test(text))).toEqual([]);
});

test("a list selects no more than its rows show, nor does a search of which only the rows are wanted", async () => {
  const { db, statements } = watched(records.deps.db);
  const caller = newCaller();
  const id = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json.id as string;
  const find = async (search: Partial<Search>) => {
    const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 2, ...search } as Search });
    return (await searchShipments({ ...records.deps, db }, request)).shipments;
  };
  const [found] = await find({ ids: [id] });
  expect(found).toMatchObject({ id, from: { name: "Ada" } });
  statements.length = 0;
  const { from: _from, metadata: _metadata, ...row } = found!;
  expect(await find({ ids: [id], rowsOnly: true })).toEqual([row]);
  expect(await find({})).toEqual([row]);
  expect(statements.filter(({ text }) => /sender|metadata/.test(text))).toEqual([]);
});
