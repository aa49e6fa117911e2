import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import {
  CountLabelsByDayRequestSchema,
  CountLabelsRequestSchema,
  SearchLabelsRequestSchema,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import { countLabels, countLabelsByDay, searchLabels } from "./search-labels.js";
import { carrierUnderTest } from "./testing/carrier-under-test.js";

const carrier = forAllTests(carrierUnderTest);

interface Wanted {
  limit?: number;
  text?: string;
  ids?: string[];
  status?: string;
  after?: string;
  createdFrom?: string;
  countsMatches?: boolean;
}

async function find(caller: Caller, search: Wanted = {}, deps = carrier.deps) {
  const request = create(SearchLabelsRequestSchema, { caller, search: { limit: 50, ...search } });
  const { labels, nextCursor } = await searchLabels(deps, request);
  return { ids: labels.map(({ id }) => id), nextCursor, labels };
}

/** Creates three labels, an hour apart, the oldest first; the second is voided. */
async function threeLabels(caller: Caller) {
  const labels = [await carrier.newLabel(caller), await carrier.newLabel(caller), await carrier.newLabel(caller)];
  for (const [nth, { id }] of labels.entries()) {
    await carrier.deps.db.run(
      sql`UPDATE labels SET created_at = ${new Date(Date.UTC(2026, 10, 21, nth))} WHERE id = ${id}`,
    );
  }
  await carrier.void(caller, labels[1].id);
  return labels;
}

describe("searchLabels", () => {
  test("lists the newest first, in pages, of one state or both", async () => {
    const caller = newCaller();
    const [first, second, third] = await threeLabels(caller);
    expect((await find(caller)).ids).toEqual([third.id, second.id, first.id]);
    const page = await find(caller, { limit: 2 });
    expect(page).toMatchObject({ ids: [third.id, second.id], nextCursor: second.id });
    expect(await find(caller, { limit: 2, after: second.id })).toMatchObject({
      ids: [first.id],
      nextCursor: undefined,
    });
    expect((await find(caller, { status: "voided" })).ids).toEqual([second.id]);
    expect((await find(caller, { createdFrom: "2026-11-21T01:00:00Z", status: "created" })).ids).toEqual([third.id]);
  });

  test("finds by id, tracking number and shipment, and the ids given beside the text", async () => {
    const caller = newCaller();
    const [first, second] = await threeLabels(caller);
    for (const text of [first.id, first.tracking_number, first.shipment_id]) {
      expect((await find(caller, { text })).ids).toEqual([first.id]);
      expect((await find(newCaller(), { text })).ids).toEqual([]);
      expect((await find({ ...caller, environment: "live" }, { text })).ids).toEqual([]);
    }
    expect((await find(caller, { text: "nothing", ids: [second.id] })).ids).toEqual([second.id]);
    for (const text of ["TEST", "%", "lbl_\0"]) expect((await find(caller, { text })).ids).toEqual([]);
  });

  test("reads its rows by an index, however many there are", async () => {
    const { db, statements } = watched(carrier.deps.db);
    const deps = { ...carrier.deps, db };
    const caller = newCaller();
    const { id } = await carrier.newLabel(caller);
    await find(caller, { after: id, countsMatches: true }, deps);
    await find(caller, { text: "a", ids: [id], countsMatches: true }, deps);
    expect(statements).toHaveLength(5);
    for (const statement of statements) expect(await costlyNodes(db, statement)).toEqual([]);
  });
});

test("no index but the primary key can be taken for that of an account", async () => {
  const rows = await carrier.deps.db.run<{ indexname: string }>(sql`
    SELECT indexname FROM pg_indexes WHERE tablename = 'labels' AND indexdef LIKE '%(account_id, environment,%'`);
  expect(rows).toEqual([{ indexname: "labels_pkey" }]);
});

const HOUR_MS = 3_600_000;

async function count(caller: Caller, ...wanted: { hoursAgo: number; atMost: number }[]): Promise<number[]> {
  const since = (hoursAgo: number) => new Date(carrier.deps.now().getTime() - hoursAgo * HOUR_MS).toISOString();
  const request = create(CountLabelsRequestSchema, {
    caller,
    wanted: wanted.map(({ hoursAgo, atMost }) => ({ createdFrom: since(hoursAgo), atMost })),
  });
  return (await countLabels(carrier.deps, request)).counts;
}

describe("countLabels", () => {
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
    await carrier.void(caller, labels[1]?.id ?? "");
    expect(await count(caller, ...asked)).toEqual([2, 3, 1]);
    for (const other of [newCaller(), { ...caller, environment: "live" as const }]) {
      expect(await count(other, ...asked)).toEqual([0, 0, 0]);
    }
    expect(await count(caller)).toEqual([]);
  });
});

test("countLabelsByDay counts the labels of each day, and those of them that are voided", async () => {
  const caller = newCaller();
  await threeLabels(caller);
  const request = create(CountLabelsByDayRequestSchema, { caller, days: ["2026-11-20", "2026-11-21"] });
  const { db, statements } = watched(carrier.deps.db);
  expect((await countLabelsByDay({ ...carrier.deps, db }, request)).days).toEqual([
    { created: 0, voided: 0 },
    { created: 2, voided: 1 },
  ]);
  for (const statement of statements) expect(await costlyNodes(carrier.deps.db, statement)).toEqual([]);
});
