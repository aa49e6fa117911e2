import type { DerivedEventsDeps } from "@shipping/kit/ledger/derived-events";
import { renderEvent } from "@shipping/kit/ledger/outbox";
import { derivedWalk } from "@shipping/kit/testing/derived-walk";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { rowsIn } from "@shipping/kit/testing/rows";
import { deleteFromOutbox, storeInOutbox } from "@shipping/kit/testing/stored-writes";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { derivedRows } from "./derived-rows.js";
import { hashRecent } from "./search/hash-recent.js";
import { addTrackingNumbers } from "./search/search-rows.js";
import { recordsUnderTest } from "./testing/records-under-test.js";
import { inventSearch, isSearched, loseSearch, spoilSearch } from "./testing/stored-records.js";

const records = forAllTests(recordsUnderTest);
const webhooks = {
  arrived: new Set<string>(),
  listed: [] as Awaited<ReturnType<DerivedEventsDeps["listArrived"]>>["events"],
};
beforeEach(async () => {
  webhooks.arrived.clear();
  webhooks.listed = [];
  for (const { id } of await rowsIn<{ id: string }>(records.deps.db, "orders"))
    await loseSearch(records.deps.db, "orders", id);
  await records.deps.db.run(
    sql`TRUNCATE shipments, orders, outbox, order_search_recent, shipment_search_recent CASCADE`,
  );
});

const kinds = () =>
  derivedRows(records.deps, {
    db: records.deps.db,
    now: records.deps.now,
    filterMissing: async (events) => events.map(({ id }) => id).filter((id) => !webhooks.arrived.has(id)),
    listArrived: async () => ({ events: webhooks.listed }),
  });

async function wrong() {
  const all = kinds();
  const pages = await Promise.all(all.map((rows) => rows.compare(undefined, 500)));
  return pages
    .flatMap(({ differences }, at) => differences.map(({ problem, id }) => `${all[at]!.kind} ${problem} ${id}`))
    .sort();
}

/** Returns how many rows the walk has repaired, by kind. */
async function walkAll() {
  const walk = derivedWalk(kinds());
  await walk.steps(40);
  const repaired = Object.entries(walk.counts).filter(([name]) => name.startsWith("derived_rows_repaired_total "));
  return Object.fromEntries(repaired.map(([name, count]) => [name.split(" ")[1], count]));
}

const textOf = async (id: string) => {
  const rows = await rowsIn<{ text: string }>(records.deps.db, "shipment_search_recent", { id });
  return rows[0]?.text;
};

test("missing, stale and surplus search rows are found and repaired, those with hashes too", async () => {
  const { deps } = records;
  const caller = newCaller();
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push((await records.newShipment(caller)).id);
  const [missing, stale, hashless, unlisted, right, tracked] = ids as [string, string, string, string, string, string];
  await addTrackingNumbers(deps, [{ caller, shipmentId: tracked, trackingNumber: "TEST12345" }]);
  const text = await textOf(tracked);
  const owner = { ...caller, table: "shipments" as const };
  while (await hashRecent(deps, owner, 0));
  expect(await wrong()).toEqual([]);

  await loseSearch(deps.db, "shipments", missing);
  await spoilSearch(deps.db, "shipments", stale);
  await deps.db.run(sql`UPDATE shipment_search SET hashes = '{1}' WHERE id = ANY(${[hashless, tracked]}::text[])`);
  await deps.db.run(sql`UPDATE shipment_search SET created_at = created_at + interval '1 day' WHERE id = ${unlisted}`);
  const { id: like } = await records.newOrder(caller);
  await inventSearch(deps.db, "orders", "ord_nowhere", like);
  const planted = [
    `shipment_search missing ${missing}`,
    ...[stale, hashless, tracked, unlisted].map((id) => `shipment_search stale ${id}`),
    "order_search_recent surplus ord_nowhere",
  ];
  expect(await wrong()).toEqual(planted.sort());

  expect(await walkAll()).toEqual({ shipment_search: 5, order_search_recent: 1 });
  expect(await wrong()).toEqual([]);
  expect([await isSearched(deps.db, "shipments", right), await textOf(right)]).toEqual([true, undefined]);
  expect(await textOf(tracked)).toBe(text);
  // The repaired texts get hashes like any others.
  expect(deps.ownersToCount.size).toBeGreaterThan(0);
});

test("without its segments, an owner's texts with hashes are found by no search, and repaired", async () => {
  const caller = newCaller();
  const { id } = await records.newShipment(caller);
  const { deps } = records;
  while (await hashRecent(deps, { ...caller, table: "shipments" }, 0));
  await deps.db.run(sql`DELETE FROM search_segments WHERE account_id = ${caller.accountId}`);
  expect(await wrong()).toEqual([`shipment_search stale ${id}`]);
  await walkAll();
  expect(await wrong()).toEqual([]);
});

test("missing, stale and surplus events are found and repaired; the bytes of a lost one are the same", async () => {
  const { deps } = records;
  const caller = newCaller();
  const [waiting, lost, arrived] = [
    await records.newOrder(caller),
    await records.newShipment(caller),
    await records.newOrder(caller),
  ];
  const outbox = async () =>
    (await rowsIn<{ eventId: string; body: Buffer }>(deps.db, "outbox")).map(({ eventId, body }) => ({
      eventId,
      body: body.toString(),
    }));
  const before = await outbox();
  const eventOf = (id: string) => before.find(({ body }) => body.includes(id))!;
  expect(await wrong()).toEqual([]);

  webhooks.arrived.add(eventOf(arrived.id).eventId);
  for (const { id } of [lost, arrived]) await deleteFromOutbox(deps.db, eventOf(id).eventId);
  await deps.db.run(sql`UPDATE outbox SET published_at = NULL`);
  const spoilt = renderEvent({
    id: "evt_other",
    type: "order.created",
    caller,
    data: `{"id":"${waiting.id}"}`,
    now: new Date(),
  });
  await deps.db.run(sql`UPDATE outbox SET body = ${spoilt.body} WHERE event_id = ${eventOf(waiting.id).eventId}`);
  await storeInOutbox(
    deps.db,
    renderEvent({ id: "evt_invented", type: "order.created", caller, data: `{"id":"ord_nowhere"}`, now: new Date() }),
  );
  const planted = [`shipment_events missing ${lost.id}`, `outbox stale ${waiting.id}`, "outbox surplus ord_nowhere"];
  expect(await wrong()).toEqual(planted.sort());

  expect(await walkAll()).toEqual({ shipment_events: 1, outbox: 2 });
  expect(await wrong()).toEqual([]);
  const byId = (rows: { eventId: string }[]) => rows.sort((one, other) => (one.eventId < other.eventId ? -1 : 1));
  expect(byId(await outbox())).toEqual(byId([eventOf(waiting.id), eventOf(lost.id)]));
});

test("records whose events have arrived, and that are gone, are listed", async () => {
  const caller = newCaller();
  const { id } = await records.newOrder(caller);
  webhooks.listed = [
    { ...caller, id: "evt_1", type: "order.created", resourceId: id },
    { ...caller, id: "evt_2", type: "shipment.created", resourceId: "shp_gone" },
  ];
  expect(await wrong()).toEqual(["arrived_events lost shp_gone"]);
});
