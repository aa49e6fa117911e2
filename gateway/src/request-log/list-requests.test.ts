import { randomBytes } from "node:crypto";
import type { WantedRequests } from "@shipping/api/request-status";
import type { Caller } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { findRequests, listRequests, type RequestPage } from "./list-requests.js";
import type { LogRow } from "./logged-request.js";
import { readAnyRequest, readExecuted, readRequest } from "./read-request.js";
import { keepPartitionsOnce, writeRequests } from "./write-requests.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
  await keepPartitionsOnce({ db: gateway.db, clockOffsetMs: 0, requestLogDays: 7 });
});
afterAll(() => gateway.drop());

/** Logs requests of a caller, each a second older than the one before, and returns their IDs. */
async function log(caller: Caller, rows: Partial<LogRow>[]): Promise<string[]> {
  const now = performance.now();
  const all = rows.map(
    (row, index): LogRow => ({
      requestId: newId("req", randomBytes),
      ...caller,
      keyId: "key_a",
      method: "POST",
      path: "/api/v1/orders",
      status: 201,
      ms: 1,
      replayed: false,
      source: "192.0.2.1",
      userAgent: "",
      endedAt: now - 1_000 * index,
      more: 0,
      ...row,
    }),
  );
  await writeRequests({ db: gateway.db, clockOffsetMs: 0 }, all, []);
  return all.map(({ requestId }) => requestId);
}

const refused = (code: string, status: number): Partial<LogRow> => ({ code, status });
const idsOf = ({ rows }: RequestPage) => rows.map(({ requestId }) => requestId);

const anywhere = (text: string) => ({ texts: [text], idempotencyKeys: true });

async function allPages(caller: Caller, wanted: WantedRequests, size: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const page = await listRequests(gateway, caller, { ...wanted, after }, size);
    pages.push(idsOf(page));
    if (!page.nextCursor) return pages;
    after = page.nextCursor;
  }
}

describe("the list", () => {
  test("has the newest first, each once, page by page, also where many ended at the same time", async () => {
    const caller = newCaller();
    const at = performance.now();
    const ids = await log(
      caller,
      Array.from({ length: 25 }, () => ({ endedAt: at })),
    );
    const pages = await allPages(caller, {}, 10);
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(ids.sort().reverse());
  });

  test("is a caller's own: neither another account's nor another environment's", async () => {
    const caller = newCaller();
    const [own = ""] = await log(caller, [{ idempotencyKey: "k", resourceId: "r" }]);
    const others = [newCaller(), { ...caller, environment: "live" as const }];
    for (const other of others) {
      expect(idsOf(await listRequests(gateway, other, {}, 10))).toEqual([]);
      expect(await readRequest(gateway, other, own)).toBeUndefined();
      for (const text of ["k", "r"])
        expect(idsOf(await findRequests(gateway, other, anywhere(text), { size: 10 }))).toEqual([]);
      expect(idsOf(await listRequests(gateway, other, { keyId: "key_a" }, 10))).toEqual([]);
      expect(idsOf(await listRequests(gateway, other, { after: own }, 10))).toEqual([]);
    }
    expect((await readAnyRequest(gateway, own))?.accountId).toBe(caller.accountId);
  });

  test.each<[WantedRequests, number[]]>([
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ status: "2xx" }, [0, 5]],
    [{ status: "4xx" }, [1, 2, 3]],
    [{ status: "5xx" }, [4]],
    [{ status: "409" }, [1, 2]],
    [{ status: "label_exists" }, [2]],
    [{ status: "no_such_code" }, [0, 1, 2, 3, 4, 5]],
    [{ method: "GET" }, [3]],
    [{ keyId: "key_b" }, [4, 5]],
    [{ keyId: "key_b", status: "5xx" }, [4]],
    [{ keyId: "key_b", status: "2xx", method: "POST" }, [5]],
    [{ keyId: "key_none" }, []],
  ])("filtered by %j", async (wanted, expected) => {
    const caller = newCaller();
    const ids = await log(caller, [
      {},
      refused("idempotency_conflict", 409),
      refused("label_exists", 409),
      { ...refused("not_found", 404), method: "GET" },
      { ...refused("internal_error", 500), keyId: "key_b" },
      { keyId: "key_b" },
    ]);
    for (const size of [2, 10]) {
      expect((await allPages(caller, wanted, size)).flat()).toEqual(expected.map((index) => ids[index]));
    }
  });

  test("between two times", async () => {
    const caller = newCaller();
    const ids = await log(caller, [{}, {}, {}]);
    const { rows } = await listRequests(gateway, caller, {}, 10);
    const [, second] = rows;
    const at = new Date(second!.at.getTime() + 500);
    expect(idsOf(await listRequests(gateway, caller, { until: at }, 10))).toEqual(ids.slice(1));
    expect(idsOf(await listRequests(gateway, caller, { from: at }, 10))).toEqual(ids.slice(0, 1));
  });

  test("looks through two thousand rows at a time for what no index finds, and says how far it got", async () => {
    const caller = newCaller();
    const rows: Partial<LogRow>[] = Array.from({ length: 2_500 }, (_, index) => ({
      endedAt: performance.now() - index,
    }));
    const ids = await log(caller, [...rows, { method: "DELETE", endedAt: performance.now() - 3_000 }]);
    const first = await listRequests(gateway, caller, { method: "DELETE" }, 10);
    expect([first.rows, first.nextCursor]).toEqual([[], ids[1_999]]);
    expect(first.lookedBackTo).toBeInstanceOf(Date);
    const second = await listRequests(gateway, caller, { method: "DELETE", after: first.nextCursor }, 10);
    expect([idsOf(second), second.nextCursor, second.lookedBackTo]).toEqual([ids.slice(-1), undefined, undefined]);
  });
});

describe("a search", () => {
  test("finds by idempotency key and by resource, each request once", async () => {
    const caller = newCaller();
    const ids = await log(caller, [
      { idempotencyKey: "both", resourceId: "both" },
      { idempotencyKey: 'odd "key\\ {NULL,}' },
      { resourceId: "both", idempotencyKey: "NULL" },
    ]);
    const found = async (text: string) => idsOf(await findRequests(gateway, caller, anywhere(text), { size: 10 }));
    expect(await found("both")).toEqual([ids[0], ids[2]]);
    expect(await found('odd "key\\ {NULL,}')).toEqual([ids[1]]);
    expect(await found("NULL")).toEqual([ids[2]]);
    expect(await found("nothing")).toEqual([]);
    const page = await findRequests(gateway, caller, anywhere("both"), { size: 1 });
    expect(idsOf(await findRequests(gateway, caller, anywhere("both"), { size: 1, after: page.nextCursor }))).toEqual([
      ids[2],
    ]);
  });

  test("yields a request with its key's name, its fields and the request that it replays", async () => {
    const key = await gateway.newKey({ name: "Lager" });
    const caller: Caller = { accountId: key.accountId, environment: "sandbox" };
    const fields = [{ path: "to.country", message: "must be a two-letter country code in upper case" }];
    const [replay = "", conflict = "", first] = await log(caller, [
      { idempotencyKey: "k", replayed: true, keyId: key.id },
      { idempotencyKey: "k", ...refused("idempotency_conflict", 409), fields: JSON.stringify(fields), keyId: key.id },
      { idempotencyKey: "k" },
    ]);
    const replayed = await readRequest(gateway, caller, replay);
    expect(replayed).toMatchObject({ keyName: "Lager", keyLastFour: key.key.slice(-4), fields: [] });
    expect(await readExecuted(gateway, caller, "k")).toMatchObject({ requestId: first });
    const refusal = await readRequest(gateway, caller, conflict);
    expect(refusal).toMatchObject({ code: "idempotency_conflict", fields });
    expect(await readExecuted(gateway, { ...caller, environment: "live" }, "k")).toBeUndefined();
    expect(await readRequest(gateway, caller, "req_nothing")).toBeUndefined();
  });
});

test("no statement looks through a table", async () => {
  const { db, statements } = watched(gateway.db);
  const caller = newCaller();
  const after = newId("req", randomBytes);
  for (const wanted of [
    {},
    { status: "4xx" },
    { keyId: "k" },
    { method: "GET", after },
    { status: "409", keyId: "k" },
  ]) {
    await listRequests({ db }, caller, wanted, 10);
  }
  await findRequests({ db }, caller, anywhere("k"), { size: 10, after });
  await readRequest({ db }, caller, after);
  await readExecuted({ db }, caller, "k");
  for (const statement of statements) expect(await costlyNodes(gateway.db, statement)).toEqual([]);
});
