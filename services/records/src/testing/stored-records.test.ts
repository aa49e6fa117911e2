import { create } from "@bufbuild/protobuf";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { jsonIn, newCaller } from "@shipping/kit/testing/writes";
import {
  GetShipmentRequestSchema,
  ListShipmentsRequestSchema,
  SearchShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import { getShipment, listShipments } from "../read/read-records.js";
import { searchShipments } from "../search/search-records.js";
import { recordsUnderTest } from "./records-under-test.js";
import {
  backdateShipments,
  findableShipments,
  manyShipments,
  storedOrders,
  storedShipments,
  withoutOrders,
} from "./stored-records.js";

// Tests of the whole platform write and read records' tables through these functions, so this file fails if a change makes one of them wrong.

const records = forAllTests(recordsUnderTest);

test("orders are found, all or those of an account", async () => {
  const [caller, other] = [newCaller(), newCaller()];
  const [one, two] = [await records.newOrder(caller), await records.newOrder(other)];
  expect(await storedOrders(records.deps.db, caller.accountId)).toEqual([one.id]);
  expect(await storedOrders(records.deps.db, [caller.accountId, other.accountId])).toHaveLength(2);
  expect(await storedOrders(records.deps.db)).toEqual(expect.arrayContaining([one.id, two.id]));
});

test("shipments are found by their accounts, with their statuses", async () => {
  const caller = newCaller();
  const { id, status } = await records.newShipment(caller);
  await records.newShipment(newCaller());
  expect(await storedShipments(records.deps.db, [caller.accountId])).toEqual([{ id, status }]);
});

test("a shipment that is backdated is shown with its new time", async () => {
  const caller = newCaller();
  const { id, created_at: before } = await records.newShipment(caller);
  await backdateShipments(records.deps.db, caller.accountId, 121);
  const { created_at: after } = jsonIn(
    await getShipment(records.deps, create(GetShipmentRequestSchema, { caller, id })),
  );
  expect(Date.parse(before) - Date.parse(after)).toBe(121_000);
});

test("without its orders, the database fails; afterwards it works again", async () => {
  const caller = newCaller();
  const { db } = records.deps;
  await expect(withoutOrders(db, () => records.newOrder(caller))).rejects.toThrow('"orders" does not exist');
  const { id } = await records.newOrder(caller);
  expect(await storedOrders(db, caller.accountId)).toEqual([id]);
});

test("many shipments are listed with their labels, the latest first", async () => {
  const caller = newCaller();
  const address = { name: "aaa", postal_code: "aaa", street1: "a", city: "a", country: "DE" };
  await records.deps.db.run(manyShipments(caller, { count: 30, reference: "aaa", address }));
  const listed = jsonIn(await listShipments(records.deps, create(ListShipmentsRequestSchema, { caller, limit: 25 })));
  expect(listed).toHaveLength(25);
  const id = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, "a")}`;
  expect(listed.map((one: { id: string }) => one.id).sort()).toContain(id("shp", 1));
  expect(listed[0]).toMatchObject({ status: "label_created", reference: "aaa", to: { name: "aaa" } });
});

test("many shipments whose IDs have an end of their own are found by words, also beyond those without hashes", async () => {
  const caller = newCaller();
  const { db } = records.deps;
  const address = { name: "aaa", postal_code: "aaa", street1: "a", city: "a", country: "DE" };
  const many = { count: 600, reference: "r1", address, end: "end", everyMs: 1_000 };
  await db.run(manyShipments(caller, many));
  await findableShipments(db, caller);
  const request = create(SearchShipmentsRequestSchema, { caller, search: { text: "aaa", limit: 50 } });
  const found = jsonIn(await searchShipments(records.deps, request));
  expect(found).toHaveLength(50);
  const [first, second] = found;
  expect(first.id).toBe(`shp_${"1end".padStart(26, "a")}`);
  expect(Date.parse(first.created_at) - Date.parse(second.created_at)).toBe(1_000);
});
