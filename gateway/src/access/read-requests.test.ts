import { randomBytes } from "node:crypto";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { newCaller } from "@shipping/kit/testing/writes";
import type { LogRow } from "../request-log/logged-request.js";
import { keepPartitionsOnce, writeRequests } from "../request-log/write-requests.js";
import { accessUnderTest } from "../testing/access-under-test.js";
import { storeCounts } from "../testing/stored-requests.js";

let gateway: Awaited<ReturnType<typeof accessUnderTest>>;
beforeAll(async () => {
  gateway = await accessUnderTest();
  await keepPartitionsOnce({ db: gateway.db, clockOffsetMs: 0, requestLogDays: 7 });
});
afterAll(() => gateway.drop());

/** Logs requests of a caller, each a second older than the one before, and returns their IDs. */
async function log(caller: ReturnType<typeof newCaller>, rows: Partial<LogRow>[]): Promise<string[]> {
  const all = rows.map(
    (row, index): LogRow => ({
      ...{ requestId: newId("req", randomBytes), ...caller, keyId: "key_a", method: "POST", path: "/api/v1/orders" },
      ...{ status: 201, ms: 1.5, replayed: false, source: "192.0.2.1", userAgent: "shop/1", more: 0 },
      endedAt: performance.now() - 1_000 * index,
      ...row,
    }),
  );
  await writeRequests({ db: gateway.db, clockOffsetMs: 0 }, all, [
    { ...caller, outcome: "write", count: 2 },
    { ...caller, outcome: "not_found", count: 1 },
  ]);
  return all.map(({ requestId }) => requestId);
}

const idsOf = ({ requests }: { requests: { id: string }[] }) => requests.map(({ id }) => id);

test("requests are listed page by page, filtered, with the days for which they are kept", async () => {
  const caller = newCaller();
  const refused = { status: 404, code: "not_found", method: "GET" };
  const ids = await log(caller, [{}, refused, {}]);
  const first = await gateway.access.listRequests({ caller, limit: 2 });
  expect([idsOf(first), first.nextCursor, first.days]).toEqual([ids.slice(0, 2), ids[1], 7]);
  const second = await gateway.access.listRequests({ caller, limit: 2, after: first.nextCursor! });
  expect([idsOf(second), second.nextCursor]).toEqual([ids.slice(2), undefined]);
  for (const filter of [{ status: "404" }, { status: "not_found" }, { method: "GET" }]) {
    expect(idsOf(await gateway.access.listRequests({ caller, limit: 10, ...filter }))).toEqual([ids[1]]);
  }
  const from = first.requests[1]!.at;
  expect(idsOf(await gateway.access.listRequests({ caller, limit: 10, until: from }))).not.toContain(ids[0]);
});

test("a request has all its fields; a replayed one names the one that was executed", async () => {
  const key = await gateway.newKey({ name: "Shop" });
  const caller = { accountId: key.accountId, environment: "sandbox" as const };
  const fields = [{ path: "to.country", message: "must be a two-letter country code in upper case" }];
  const [replay = "", refusal = "", executed] = await log(caller, [
    { keyId: key.id, idempotencyKey: "k", replayed: true, resourceId: "ord_a" },
    { status: 422, code: "invalid_request", fields: JSON.stringify(fields), more: 3 },
    { idempotencyKey: "k" },
  ]);
  const read = await gateway.access.getRequest({ caller, id: replay });
  expect(read.executedId).toBe(executed);
  expect(read.request).toMatchObject({
    ...{ id: replay, keyId: key.id, keyName: "Shop", keyLastFour: key.key.slice(-4), method: "POST", status: 201 },
    ...{ path: "/api/v1/orders", ms: 1.5, idempotencyKey: "k", replayed: true, resourceId: "ord_a", more: 0 },
    ...{ source: "192.0.2.1", userAgent: "shop/1", fields: [] },
  });
  const refused = await gateway.access.getRequest({ caller, id: refusal });
  expect(refused.request).toMatchObject({ code: "invalid_request", fields, more: 3 });
  expect([refused.executedId, refused.request?.idempotencyKey]).toEqual([undefined, undefined]);
});

test("requests are found by resource, and by idempotency key only if that is wanted", async () => {
  const caller = newCaller();
  const ids = await log(caller, [{ idempotencyKey: "a" }, { resourceId: "a" }, { resourceId: "b" }]);
  const find = (texts: string[], idempotencyKeys: boolean, limit = 10) =>
    gateway.access.findRequests({ caller, limit, texts, idempotencyKeys });
  expect(idsOf(await find(["a"], true))).toEqual(ids.slice(0, 2));
  expect(idsOf(await find(["a", "b"], false))).toEqual(ids.slice(1));
  const page = await find(["a", "b"], true, 2);
  expect([idsOf(page), page.nextCursor, page.days]).toEqual([ids.slice(0, 2), ids[1], 7]);
});

test("the requests of 24 hours are counted", async () => {
  const caller = newCaller();
  await log(caller, [{}]);
  const { hours, refusals } = await gateway.access.countRequests({ caller });
  expect(hours).toHaveLength(24);
  const total = (kind: "writes" | "refused") => hours.reduce((sum, hour) => sum + hour[kind], 0);
  expect([total("writes"), total("refused")]).toEqual([2, 1]);
  expect(refusals.map(({ code, count }) => [code, count])).toEqual([["not_found", 1]]);
});

test("a live request for which no carrier is configured is no failure of the platform", async () => {
  const caller = { ...newCaller(), environment: "live" as const };
  await storeCounts(gateway.db, caller, 0, { carrier_not_configured: 3, internal_error: 1 });
  const { hours } = await gateway.access.countRequests({ caller });
  expect([hours.at(-1)?.refused, hours.at(-1)?.failed]).toEqual([3, 1]);
});

test("a key's logged requests are counted by their result, similar ones that are not listed too", async () => {
  const key = await gateway.newKey();
  const caller = { accountId: key.accountId, environment: "sandbox" as const };
  const refused = { keyId: key.id, status: 422, code: "invalid_request", more: 4 };
  await log(caller, [{ keyId: key.id }, { keyId: key.id, replayed: true }, refused, { keyId: "key_other" }]);
  const counts = await gateway.access.countKeyRequests({ caller, id: key.id });
  expect(counts).toMatchObject({ days: 7, writes: 1, replays: 1, refusals: [{ code: "invalid_request", count: 5 }] });
  expect(counts.countedSince).toBeUndefined();
  const others = gateway.access.countKeyRequests({ caller: newCaller(), id: key.id });
  expect(failureIn(await others.catch((error) => error))?.code).toBe("not_found");
});

test("the slowest writes of a day are those that succeeded, the slowest first", async () => {
  const caller = newCaller();
  const ids = await log(caller, [{ ms: 5 }, { ms: 70 }, { ms: 900, method: "GET" }, { ms: 30 }, { ms: 80, code: "x" }]);
  const slowest = await gateway.access.listSlowestWrites({ caller, limit: 2 });
  expect(idsOf(slowest)).toEqual([ids[1], ids[3]]);
  expect(idsOf(await gateway.access.listSlowestWrites({ caller: newCaller(), limit: 2 }))).toEqual([]);
});

test("requests and counts are a caller's own", async () => {
  const caller = newCaller();
  const [id = ""] = await log(caller, [{ idempotencyKey: "k", resourceId: "r" }]);
  for (const other of [newCaller(), { ...caller, environment: "live" }]) {
    expect((await gateway.access.listRequests({ caller: other, limit: 10 })).requests).toEqual([]);
    const sought = { caller: other, limit: 10, texts: ["k", "r"], idempotencyKeys: true };
    expect((await gateway.access.findRequests(sought)).requests).toEqual([]);
    expect((await gateway.access.countRequests({ caller: other })).refusals).toEqual([]);
    const refusal = await gateway.access.getRequest({ caller: other, id }).catch((error: unknown) => failureIn(error));
    expect(refusal).toMatchObject({ code: "not_found" });
  }
});
