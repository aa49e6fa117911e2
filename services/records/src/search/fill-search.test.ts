import { create } from "@bufbuild/protobuf";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import { SearchShipmentsRequestSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { orderRequest, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createOrder } from "../write/create-order.js";
import { createShipment } from "../write/create-shipment.js";
import { fillSearch, fillSearchOnce } from "./fill-search.js";
import { searchShipments } from "./search-records.js";

let records: Awaited<ReturnType<typeof recordsUnderTest>>;
beforeAll(async () => {
  records = await recordsUnderTest();
});
afterAll(() => records.end());

const fillAll = () => fillSearch(records.deps)(() => false);

test("each order and shipment gets one search row, whoever fills at the same time", async () => {
  const { deps } = records;
  const { accountId, environment } = newCaller();
  const caller = { accountId, environment };
  for (let n = 0; n < 120; n++) await createShipment(deps, shipmentRequest(caller));
  await createOrder(deps, orderRequest(caller));
  await Promise.all([fillAll(), fillAll(), fillAll()]);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(120);
  expect(await countIn(deps.db, "order_search", { accountId })).toBe(1);
  expect(await countIn(deps.db, "search_queue", { accountId })).toBe(0);
  expect(await rowsIn(deps.db, "search_segments", { accountId })).toMatchObject([
    { recordTable: "orders", segment: -1, rows: 1 },
    { recordTable: "shipments", segment: -1, rows: 120 },
  ]);
});

test("a process that ends before its statement leaves the record in the queue, for the next", async () => {
  const { deps } = records;
  const { accountId, environment } = newCaller();
  await createShipment(deps, shipmentRequest({ accountId, environment }));
  const runList: typeof deps.db.runList = (statement, options) =>
    statement.text.includes("DELETE") ? Promise.reject(new Error("killed")) : deps.db.runList(statement, options);
  await expect(fillSearchOnce({ db: { ...deps.db, runList } })).rejects.toThrow("killed");
  expect(await countIn(deps.db, "search_queue", { accountId })).toBe(1);
  await fillAll();
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(1);
});

test("records of before the upgrade are filled in, and what is new comes first", async () => {
  const { deps } = records;
  const { accountId, environment } = newCaller();
  const id = toSnapshot(await createShipment(deps, shipmentRequest({ accountId, environment }))).json.id as string;
  await deps.db.run(sql`
    WITH copied AS (
      INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, created_at)
      SELECT account_id, environment, 'shp_' || n, status, reference, sender, recipient, parcel, created_at
      FROM shipments, generate_series(1, 3000) AS n WHERE id = ${id})
    UPDATE search_backfill SET pages = 1000 WHERE record_table = 'shipments'`);
  await deps.db.run(sql`DELETE FROM search_queue`);
  await fillSearchOnce(deps);
  const newer = toSnapshot(await createShipment(deps, shipmentRequest({ accountId, environment }))).json.id as string;
  await fillSearchOnce(deps);
  expect(await countIn(deps.db, "shipment_search", { accountId, id: newer })).toBe(1);
  await fillAll();
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(3002);
  expect(await rowsIn(deps.db, "search_backfill", { recordTable: "shipments" })).toMatchObject([{ pages: 0 }]);
});

test("a search row goes with its record, whoever deletes it, and a queued record that is gone leaves the queue", async () => {
  const { deps } = records;
  const { accountId, environment } = newCaller();
  await createShipment(deps, shipmentRequest({ accountId, environment }));
  await fillAll();
  await createShipment(deps, shipmentRequest({ accountId, environment }));
  await deps.db.run(sql`DELETE FROM shipments WHERE account_id = ${accountId}`);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(0);
  await fillAll();
  expect(await countIn(deps.db, "search_queue", { accountId })).toBe(0);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(0);
});

test("finds what has no hashes yet, once while it gets them, and no longer than its record is there", async () => {
  const caller = newCaller();
  const { accountId } = caller;
  const id = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json.id as string;
  const find = async () => {
    const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, text: "grace" } });
    return (await searchShipments(records.deps, request)).shipments.map((found) => found.id);
  };
  await fillAll();
  await records.deps.db.run(sql`
    INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
    SELECT account_id, environment, id, created_at, text FROM shipment_search WHERE account_id = ${accountId}`);
  expect(await find()).toEqual([id]);
  await records.deps.db.run(sql`DELETE FROM shipment_search WHERE account_id = ${accountId}`);
  expect(await find()).toEqual([id]);
  await records.deps.db.run(sql`DELETE FROM shipments WHERE account_id = ${accountId}`);
  expect(await countIn(records.deps.db, "shipment_search_recent", { accountId })).toBe(0);
});

test("finds what an earlier release filled, by the hashes that this gave it", async () => {
  const caller = { accountId: "acc_earlier", environment: "sandbox" } as const;
  const id = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json.id as string;
  await fillAll();
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
