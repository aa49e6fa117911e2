import { derivedWalk } from "@shipping/kit/testing/derived-walk";
import { newCaller } from "@shipping/kit/testing/writes";
import { derivedCopies } from "./derived-copies.js";
import { createProjectOnce } from "./neighbours/project-label-event.js";
import { carrierUnderTest } from "./testing/carrier-under-test.js";

let carrier: Awaited<ReturnType<typeof carrierUnderTest>>;
beforeEach(async () => {
  carrier = await carrierUnderTest();
});
afterEach(() => carrier.end());

const kinds = () => derivedCopies({ db: carrier.deps.db, records: carrier.records, tracking: carrier.tracking });

async function wrong() {
  const all = kinds();
  const pages = await Promise.all(all.map((rows) => rows.compare(undefined, 500)));
  return pages
    .flatMap(({ differences }, at) => differences.map(({ problem, id }) => `${all[at]!.kind} ${problem} ${id}`))
    .sort();
}

test("a label whose event is on its way is not called missing; it is once the event is thought to have arrived", async () => {
  carrier.trouble.set("tracking", async () => new Error("away"));
  const { id } = await carrier.newLabel(newCaller());
  expect(carrier.applied.tracking).toEqual([]);
  expect(await wrong()).toEqual([]);
  carrier.trouble.clear();
  await createProjectOnce({ ...carrier.deps, clockOffsetMs: 60_000 })();
  await carrier.deps.projectedMarks.flush();
  carrier.applied.tracking.splice(0);
  expect(await wrong()).toEqual([`tracking_records missing ${id}`]);
});

test("missing and stale copies are repaired by the walk, with the same events; lost shipments are not", async () => {
  const caller = newCaller();
  const [untracked, voided, gone] = [
    await carrier.newLabel(caller),
    await carrier.newLabel(caller),
    await carrier.newLabel(caller),
  ];
  await carrier.void(caller, voided.id);
  await carrier.deps.projectedMarks.flush();
  expect(await wrong()).toEqual([]);
  const { tracking, records } = carrier.applied;
  const before = new Map(tracking.map((event) => [event.id, Buffer.from(event.body).toString()]));
  const isOf = (id: string) => (event: (typeof tracking)[number]) => Buffer.from(event.body).includes(id);
  tracking.splice(tracking.findIndex(isOf(untracked.id)), 1);
  tracking.splice(tracking.findLastIndex(isOf(voided.id)), 1);
  records.splice(records.findIndex(isOf(gone.id)), 1);
  const lost = `shipment_status lost ${gone.id}`;
  const planted = [lost, `tracking_records missing ${untracked.id}`, `tracking_records stale ${voided.id}`];
  expect(await wrong()).toEqual(planted.sort());

  const walk = derivedWalk(kinds());
  await walk.steps(24);
  expect(await wrong()).toEqual([lost]);
  expect(walk.counts).toMatchObject({ "derived_rows_repaired_total tracking_records": 2 });
  expect(walk.counts["derived_rows_repaired_total shipment_status"]).toBeUndefined();
  expect(new Map(tracking.map((event) => [event.id, Buffer.from(event.body).toString()]))).toEqual(before);
});
