import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import type { SearchSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  CreateShipmentRequestSchema,
  SearchShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createShipment } from "../write/create-shipment.js";
import { searchShipments } from "./search-records.js";

const records = forAllTests(recordsUnderTest);
const hour = (n: number) => new Date(Date.UTC(2026, 10, 21, n));

type Search = Omit<MessageInitShape<typeof SearchSchema>, "$typeName" | "$unknown">;

const find = (caller: Caller, search: Search = {}) =>
  searchShipments(records.deps, create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, ...search } }));

test("counts the matches of all pages if it is asked to: of a filter on every page, of a text on the first", async () => {
  const caller = newCaller();
  const ids: string[] = [];
  for (const n of [1, 2, 3, 4, 5]) {
    const request = create(CreateShipmentRequestSchema, {
      ...shipmentRequest(caller),
      reference: n % 2 ? "odd" : "even",
    });
    ids.push(toSnapshot(await createShipment({ ...records.deps, now: () => hour(n) }, request)).json.id);
  }
  const newest = ids.at(-1)!;
  await records.deps.db.run(sql`UPDATE shipments SET status = 'voided', label_id = 'lbl_a' WHERE id = ${newest}`);
  const count = async (search: Search) => (await find(caller, { limit: 1, countsMatches: true, ...search })).matches;
  expect(await count({})).toBe(5);
  expect(await count({ after: newest })).toBe(5);
  expect(await count({ status: "draft", createdFrom: hour(2).toISOString() })).toBe(3);
  expect(await count({ text: "odd" })).toBe(3);
  expect(await count({ text: "odd", status: "draft" })).toBe(2);
  expect(await count({ text: "odd", after: newest })).toBeUndefined();
  expect((await find(caller)).matches).toBeUndefined();
});
