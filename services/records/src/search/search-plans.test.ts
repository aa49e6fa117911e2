import { create } from "@bufbuild/protobuf";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, pagesRead, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller } from "@shipping/kit/testing/writes";
import type { Search } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  SearchOrdersRequestSchema,
  SearchShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { copyShipment, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createShipment } from "../write/create-shipment.js";
import { hashRecent } from "./hash-recent.js";
import { searchOrders, searchShipments } from "./search-records.js";

const records = forAllTests(recordsUnderTest);

test("every search reads its rows by an index, however many there are", async () => {
  const { db, statements } = watched(records.deps.db);
  const deps = { ...records.deps, db };
  const caller = newCaller();
  const id = (await records.newShipment(caller)).id as string;
  const find = (search: Partial<Search>) => {
    const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, ...search } as Search });
    return searchShipments(deps, request);
  };
  await hashRecent(deps, { ...caller, table: "shipments" }, 0);
  await find({ after: id, countsMatches: true });
  await find({ after: id, oldestFirst: true });
  const inCountry = { caller, search: { limit: 1, countsMatches: true, status: "draft" }, country: "DE" };
  await searchShipments(deps, create(SearchShipmentsRequestSchema, inCountry));
  await find({ text: "gra", countsMatches: true });
  await find({ text: "gra", ids: [id], status: "draft", after: id });
  await searchShipments(deps, create(SearchShipmentsRequestSchema, { caller, search: { limit: 1 }, orderId: "ord_a" }));
  await searchOrders(deps, create(SearchOrdersRequestSchema, { caller, search: { limit: 1, text: "gra" } }));
  const planned = statements.filter(({ text }) => !/find_(?:orders|shipments)/.test(text));
  for (const statement of planned) expect(await costlyNodes(db, statement)).toEqual([]);
  expect(planned).toHaveLength(22);

  // That of the words is in a function, of which a plan shows nothing: what it reads tells.
  await db.run(copyShipment((await records.newShipment(caller)).id as string, 2_000));
  while (await hashRecent(records.deps, { ...caller, table: "shipments" }, 0));
  await db.run(sql`ANALYZE shipment_search`);
  const [table] = await db.run<{ pages: number }>(
    sql`SELECT relpages AS pages FROM pg_class WHERE oid = 'shipment_search'::regclass`,
  );
  statements.length = 0;
  await find({ text: "gruse" });
  const [byWords] = statements.filter(({ text }) => text.includes("find_shipments"));
  expect(await pagesRead(db, byWords!)).toBeLessThan(table!.pages / 2);
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
  const { nextCursor, ...found } = await find(false);
  statements.length = 0;
  const labelIds = jsonIn(found).map(({ label_id: id }: { label_id: string }) => id);
  const only = await find(true);
  expect([jsonIn(only), only]).toMatchObject([[], { labelIds, nextCursor }]);
  expect(statements.filter(({ text }) => /recipient|sender|metadata/.test(text))).toEqual([]);
});

test("a list selects no more than its rows show, nor does a search of which only the rows are wanted", async () => {
  const { db, statements } = watched(records.deps.db);
  const caller = newCaller();
  const id = (await records.newShipment(caller)).id as string;
  const find = async (search: Partial<Search>) => {
    const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 2, ...search } as Search });
    return jsonIn(await searchShipments({ ...records.deps, db }, request));
  };
  const [found] = await find({ ids: [id] });
  expect(found).toMatchObject({ id, from: { name: "Ada" } });
  statements.length = 0;
  const { from: _from, metadata: _metadata, ...row } = found!;
  expect(await find({ ids: [id], rowsOnly: true })).toEqual([row]);
  expect(await find({})).toEqual([row]);
  expect(statements.filter(({ text }) => /sender|metadata/.test(text))).toEqual([]);
});
