import { create } from "@bufbuild/protobuf";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import { SearchShipmentsRequestSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { copyShipment, orderRequest, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createOrder } from "../write/create-order.js";
import { createShipment } from "../write/create-shipment.js";
import { backfillOnce } from "./backfill-search.js";
import { createdRecent, hashCrowded, hashRecent } from "./recent.js";
import { searchShipments } from "./search-records.js";

let records: Awaited<ReturnType<typeof recordsUnderTest>>;
beforeAll(async () => {
  records = await recordsUnderTest();
});
afterAll(() => records.end());

test("each record's row leaves the recent ones once, and the newest hundreds stay, whoever moves them at the same time", async () => {
  const { deps } = records;
  const caller = newCaller();
  const { accountId } = caller;
  const id = toSnapshot(await createShipment(deps, shipmentRequest(caller))).json.id as string;
  await createOrder(deps, orderRequest(caller));
  await deps.db.run(copyShipment(id, 1_300));
  for (const table of ["orders", "shipments"] as const) deps.crowded.set(table, { ...caller, table });
  const moved = [1, 2, 3].map(() => hashCrowded({ ...deps, crowded: new Map(deps.crowded) }, () => false));
  await Promise.all(moved);
  expect(await countIn(deps.db, "shipment_search_recent", { accountId })).toBe(277);
  expect(await countIn(deps.db, "order_search_recent", { accountId })).toBe(1);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(1024);
  expect(await countIn(deps.db, "shipment_search", { accountId, id })).toBe(1);
  expect(await rowsIn(deps.db, "search_segments", { accountId })).toMatchObject([
    { recordTable: "shipments", segment: -1, rows: 1024 },
  ]);
});

test("a process that ends before its statement leaves the rows as they were, for the next", async () => {
  const { deps } = records;
  const caller = newCaller();
  const { accountId } = caller;
  await createShipment(deps, shipmentRequest(caller));
  const runList: typeof deps.db.runList = (statement, options) =>
    statement.text.includes("DELETE") ? Promise.reject(new Error("killed")) : deps.db.runList(statement, options);
  const owner = { ...caller, table: "shipments" as const };
  await expect(hashRecent({ db: { ...deps.db, runList } }, owner, 0)).rejects.toThrow("killed");
  expect(await countIn(deps.db, "shipment_search_recent", { accountId })).toBe(1);
  await hashRecent(deps, owner, 0);
  expect(await countIn(deps.db, "shipment_search_recent", { accountId })).toBe(0);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(1);
});

test("one creation in a few hundred has its owner looked at", async () => {
  const crowded = new Map();
  const owner = { ...newCaller(), table: "orders" as const };
  for (let n = 0; n < 20_000; n++) createdRecent({ ...records.deps, crowded }, owner);
  expect([...crowded.values()]).toEqual([owner]);
});

test("records that are older than the search get what they are found by, each once, whoever does it at the same time", async () => {
  const { deps } = records;
  const caller = newCaller();
  const { accountId } = caller;
  const id = toSnapshot(await createShipment(deps, shipmentRequest(caller))).json.id as string;
  await deps.db.run(copyShipment(id, 3_000));
  await deps.db.run(sql`DELETE FROM shipment_search_recent WHERE account_id = ${accountId} AND id <> ${id}`);
  await hashRecent(deps, { ...caller, table: "shipments" }, 0);
  await deps.db.run(sql`
    UPDATE search_backfill SET pages = pg_relation_size(record_table::regclass) / 8192 WHERE record_table = 'shipments'`);
  deps.crowded.clear();
  const backfill = async () => {
    while (await backfillOnce(deps));
  };
  await Promise.all([backfill(), backfill()]);
  expect(await countIn(deps.db, "shipment_search_recent", { accountId })).toBe(3000);
  await hashCrowded(deps, () => false);
  expect(await countIn(deps.db, "shipment_search_recent", { accountId })).toBe(440);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(2561);
  expect(await rowsIn(deps.db, "search_backfill", { recordTable: "shipments" })).toMatchObject([{ pages: 0 }]);
});

test("what a record is found by goes with it, whoever deletes it", async () => {
  const { deps } = records;
  const caller = newCaller();
  const { accountId } = caller;
  await createShipment(deps, shipmentRequest(caller));
  await hashRecent(deps, { ...caller, table: "shipments" }, 0);
  await createShipment(deps, shipmentRequest(caller));
  await deps.db.run(sql`DELETE FROM shipments WHERE account_id = ${accountId}`);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(0);
  expect(await countIn(deps.db, "shipment_search_recent", { accountId })).toBe(0);
});

test("finds what an earlier release filled, by the hashes that this gave it", async () => {
  const caller = { accountId: "acc_earlier", environment: "sandbox" } as const;
  const id = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json.id as string;
  await hashRecent(records.deps, { ...caller, table: "shipments" }, 0);
  const grams = [
    ...[-1525351147, 1443561666, -1652484071, -1958923544, -1297072670, -1087346313, -113789899, 805708375, 1580743480],
    ...[-1726682575, 1055704953, 716486439, 1403131164, 1380802008, 2009781304, 1020977323, 1687129928, -90578186],
    ...[-1777015432, 1407490499],
  ];
  await records.deps.db.run(sql`
    WITH filled AS (
      UPDATE shipment_search SET text = ${" schneider or10403 li "}, grams = ${grams}::integer[] WHERE account_id = ${caller.accountId})
    UPDATE search_segments SET segment = 0 WHERE account_id = ${caller.accountId}`);
  const find = async (text: string) => {
    const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, text } });
    return (await searchShipments(records.deps, request)).shipments.map((found) => found.id);
  };
  for (const text of ["schneider", "hneid", "or-10403", "0403", "li"]) expect(await find(text)).toEqual([id]);
  expect(await find("schreiner")).toEqual([]);
});
