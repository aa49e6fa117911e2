import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { jsonIn, newCaller, toSnapshot } from "@shipping/kit/testing/writes";
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

/** Creates shipments to these countries, an hour apart, the oldest first. */
async function shipTo(caller: Caller, countries: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [n, country] of countries.entries()) {
    const request = shipmentRequest(caller);
    const made = create(CreateShipmentRequestSchema, { ...request, to: { ...request.to!, country } });
    ids.push(toSnapshot(await createShipment({ ...records.deps, now: () => hour(n) }, made)).json.id as string);
  }
  return ids;
}

type Search = Omit<MessageInitShape<typeof SearchSchema>, "$typeName" | "$unknown">;

async function find(caller: Caller, search: Search, country?: string) {
  const wanted = { caller, search: { limit: 50, ...search }, ...(country && { country }) };
  const { nextCursor, matches, ...found } = await searchShipments(
    records.deps,
    create(SearchShipmentsRequestSchema, wanted),
  );
  return { ids: jsonIn(found).map(({ id }: { id: string }) => id), nextCursor, matches };
}

test("of one country only the shipments to it are found, of all states or one, with their number, also by words", async () => {
  const caller = newCaller();
  const [first, second, third, fourth] = await shipTo(caller, ["FR", "DE", "FR", "FR"]);
  await records.deps.db.run(sql`UPDATE shipments SET status = 'voided', label_id = 'lbl_a' WHERE id = ${third}`);
  const counted = { countsMatches: true };
  expect(await find(caller, counted, "FR")).toMatchObject({ ids: [fourth, third, first], matches: 3 });
  expect(await find(caller, { limit: 1, after: fourth! }, "FR")).toMatchObject({ ids: [third], nextCursor: third });
  expect(await find(caller, { ...counted, status: "draft" }, "FR")).toMatchObject({ ids: [fourth, first], matches: 2 });
  // The sender is in Germany, whose name all of them are found by.
  expect(await find(caller, { ...counted, text: "germany" })).toMatchObject({ matches: 4 });
  expect(await find(caller, { ...counted, text: "germany" }, "DE")).toMatchObject({ ids: [second], matches: 1 });
  expect(await find(caller, { ids: [first!, second!] }, "DE")).toMatchObject({ ids: [second] });
  expect(await find(caller, counted, "PL")).toMatchObject({ ids: [], matches: 0 });
});

test("the oldest come first if that is asked for, each once over all pages; words are found newest first", async () => {
  const caller = newCaller();
  const made = await shipTo(caller, ["FR", "DE", "FR", "DE", "FR"]);
  await records.deps.db.run(sql`UPDATE shipments SET status = 'voided', label_id = 'lbl_a' WHERE id = ${made[1]}`);
  const paged: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await find(caller, { limit: 2, oldestFirst: true, ...(after && { after }) });
    paged.push(...page.ids);
    after = page.nextCursor;
    if (after === undefined) break;
  }
  expect(paged).toEqual(made);
  expect(await find(caller, { oldestFirst: true, createdFrom: hour(3).toISOString() })).toMatchObject({
    ids: made.slice(3),
  });
  expect(await find(caller, { oldestFirst: true, ids: made.slice(2) })).toMatchObject({ ids: made.slice(2) });
  expect(await find(caller, { oldestFirst: true, text: "grace", limit: 2 })).toMatchObject({
    ids: [made[4], made[3]],
    nextCursor: made[3],
  });
});
