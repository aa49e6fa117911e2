import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import { CountLabelsRequestSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import { countLabels } from "./count-labels.js";
import { carrierUnderTest, patient, voidRequest } from "./testing/carrier-under-test.js";
import { voidLabel } from "./void-label.js";

let carrier: Awaited<ReturnType<typeof carrierUnderTest>>;
beforeAll(async () => {
  carrier = await carrierUnderTest();
});
afterAll(() => carrier.end());

const HOUR_MS = 3_600_000;

async function count(caller: Caller, ...wanted: { hoursAgo: number; atMost: number }[]): Promise<number[]> {
  const since = (hoursAgo: number) => new Date(carrier.deps.now().getTime() - hoursAgo * HOUR_MS).toISOString();
  const request = create(CountLabelsRequestSchema, {
    caller,
    wanted: wanted.map(({ hoursAgo, atMost }) => ({ createdFrom: since(hoursAgo), atMost })),
  });
  return (await countLabels(carrier.deps, request)).counts;
}

test("the labels to count are found by an index", async () => {
  const { db, statements } = watched(carrier.deps.db);
  await countLabels({ ...carrier.deps, db }, create(CountLabelsRequestSchema, { caller: newCaller(), wanted: [] }));
  for (const statement of statements) expect(await costlyNodes(carrier.deps.db, statement)).toEqual([]);
});

test("labels are counted from each time on, voided ones too, up to the requested limit", async () => {
  const caller = newCaller();
  const labels = [await carrier.newLabel(caller), await carrier.newLabel(caller), await carrier.newLabel(caller)];
  const old = labels[0]?.id ?? "";
  await carrier.deps.db.run(sql`UPDATE labels SET created_at = created_at - interval '30 hours' WHERE id = ${old}`);
  await carrier.newLabel(newCaller());
  const asked = [
    { hoursAgo: 1, atMost: 100 },
    { hoursAgo: 48, atMost: 100 },
    { hoursAgo: 48, atMost: 1 },
  ] as const;
  expect(await count(caller, ...asked)).toEqual([2, 3, 1]);
  await voidLabel(carrier.deps, voidRequest(caller, labels[1]?.id ?? ""), patient);
  expect(await count(caller, ...asked)).toEqual([2, 3, 1]);
  for (const other of [newCaller(), { ...caller, environment: "live" as const }]) {
    expect(await count(other, ...asked)).toEqual([0, 0, 0]);
  }
  expect(await count(caller)).toEqual([]);
});
