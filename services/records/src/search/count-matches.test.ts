import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import type { SearchSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  CountShipmentsByDayRequestSchema,
  CreateShipmentRequestSchema,
  SearchShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { manyShipments } from "../testing/stored-records.js";
import { createShipment } from "../write/create-shipment.js";
import { countShipmentsByDay, searchShipments } from "./search-records.js";

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

describe("countShipmentsByDay", () => {
  const count = (caller: Caller, days: string[], deps = records.deps) =>
    countShipmentsByDay(deps, create(CountShipmentsByDayRequestSchema, { caller, days }));

  test("counts each day in UTC, however many shipments it has, and the drafts of any day", async () => {
    const caller = newCaller();
    const at = (time: string) =>
      createShipment(
        { ...records.deps, now: () => new Date(time) },
        create(CreateShipmentRequestSchema, shipmentRequest(caller)),
      );
    await at("2026-11-20T23:59:59.999Z");
    await at("2026-11-21T00:00:00.000Z");
    expect(await count(caller, ["2026-11-19", "2026-11-20", "2026-11-21"])).toEqual({ counts: [0, 1, 1], drafts: 2 });
    expect(await count(newCaller(), ["2026-11-20"])).toEqual({ counts: [0], drafts: 0 });
    const address = { name: "a", postal_code: "a", street1: "a", city: "a", country: "DE" };
    const many = newCaller();
    await records.deps.db.run(manyShipments(many, { count: 900, reference: "a", address, everyMs: 0 }));
    const today = new Date().toISOString().slice(0, 10);
    const { counts } = await count(many, [today, new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)]);
    expect(Math.max(...counts)).toBe(900);
  });

  test("reads its rows by an index, and refuses what is no day", async () => {
    const { db, statements } = watched(records.deps.db);
    await count(newCaller(), ["2026-11-20"], { ...records.deps, db });
    for (const statement of statements) expect(await costlyNodes(records.deps.db, statement)).toEqual([]);
    for (const days of [["2026-11-31x"], Array(32).fill("2026-11-20")])
      await expect(count(newCaller(), days)).rejects.toMatchObject({ code: "invalid_request" });
  });
});
