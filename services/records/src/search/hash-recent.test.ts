import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { copyShipment, orderRequest, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createOrder } from "../write/create-order.js";
import { createShipment } from "../write/create-shipment.js";
import { addedText, hashCounted, hashRecent } from "./hash-recent.js";

const records = forAllTests(recordsUnderTest);

test("each record's row leaves the recent ones once, and the newest hundreds stay, whoever moves them at the same time", async () => {
  const { deps } = records;
  const caller = newCaller();
  const { accountId } = caller;
  const id = toSnapshot(await createShipment(deps, shipmentRequest(caller))).json.id as string;
  await createOrder(deps, orderRequest(caller));
  await deps.db.run(copyShipment(id, 1_300));
  for (const table of ["orders", "shipments"] as const) deps.ownersToCount.set(table, { ...caller, table });
  const moved = [1, 2, 3].map(() => hashCounted({ ...deps, ownersToCount: new Map(deps.ownersToCount) }, () => false));
  await Promise.all(moved);
  expect(await countIn(deps.db, "shipment_search_recent", { accountId })).toBe(277);
  expect(await countIn(deps.db, "order_search_recent", { accountId })).toBe(1);
  expect(await countIn(deps.db, "shipment_search", { accountId })).toBe(1024);
  expect(await countIn(deps.db, "shipment_search", { accountId, id })).toBe(1);
  expect(await rowsIn(deps.db, "search_segments", { accountId })).toMatchObject([
    { recordTable: "shipments", segment: 0, rows: 1024 },
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
  const ownersToCount = new Map();
  const owner = { ...newCaller(), table: "orders" as const };
  for (let n = 0; n < 20_000; n++) addedText({ ...records.deps, ownersToCount }, owner);
  expect([...ownersToCount.values()]).toEqual([owner]);
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
