import { setImmediate as turnOfLoop } from "node:timers/promises";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import fc from "fast-check";
import { type Bulkhead, createBulkhead, measureBulkhead, type Release } from "./bulkhead.js";

const never = () => {};
const soon = () => performance.now() + 60_000;

const waiting = new Set<() => void>();
afterEach(() => {
  for (const leave of waiting) leave();
  waiting.clear();
});

/** Acquires, and notes when the request has started. Requests that are still waiting at the end of the test are dropped. */
function entering(bulkhead: Bulkhead, accountId: string, weight = 1, begun: string[] = []) {
  const onDisconnect = (gone: () => void) => void waiting.add(gone);
  const turn = bulkhead.acquire({ accountId, weight, deadline: soon(), onDisconnect });
  turn.then(() => begun.push(accountId)).catch(never);
  return { end: async () => (await turn)() };
}

describe("one account", () => {
  test("has a limited weight in progress, and its requests start in their order", async () => {
    const bulkhead = createBulkhead({ total: 100, perAccount: 3 });
    const begun: number[] = [];
    const turns = Array.from({ length: 10 }, async (_, n) => {
      const end = await bulkhead.acquire({ accountId: "a", weight: 1, deadline: soon(), onDisconnect: never });
      begun.push(n);
      return end;
    });
    await turnOfLoop();
    expect(begun).toEqual([0, 1, 2]);
    expect(bulkhead.load()).toEqual({ inProgress: 3, waiting: 7, waitingAccounts: 1, refused: 0 });
    for (const turn of turns) (await turn)();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(bulkhead.load()).toEqual({ inProgress: 0, waiting: 0, waitingAccounts: 0, refused: 0 });
  });

  test("starts each waiting request in its own turn of the event loop, so that others run between them", async () => {
    const bulkhead = createBulkhead({ total: 100, perAccount: 1 });
    const turns: string[] = [];
    const work = Array.from({ length: 4 }, async () => {
      const end = await bulkhead.acquire({ accountId: "a", weight: 1, deadline: soon(), onDisconnect: never });
      turns.push("work");
      end();
    });
    const others = (async () => {
      while (turns.filter((turn) => turn === "work").length < 4) {
        await turnOfLoop();
        turns.push("others");
      }
    })();
    await Promise.all([...work, others]);
    expect(turns.join(" ")).not.toMatch(/work work/);
  });

  test("does not delay another account", async () => {
    const bulkhead = createBulkhead({ total: 100, perAccount: 3 });
    const begun: string[] = [];
    for (let n = 0; n < 110; n++) entering(bulkhead, "loud", 1, begun);
    entering(bulkhead, "quiet", 1, begun);
    await turnOfLoop();
    expect(begun).toEqual(["loud", "loud", "loud", "quiet"]);
  });

  test("has fewer heavy requests in progress than light ones; a weight above all limits counts as the limit", async () => {
    const bulkhead = createBulkhead({ total: 100, perAccount: 8 });
    const begun: string[] = [];
    for (let n = 0; n < 4; n++) entering(bulkhead, "a", 4, begun);
    entering(bulkhead, "b", 1_000, begun);
    await turnOfLoop();
    expect(begun).toEqual(["a", "a", "b"]);
    expect(bulkhead.load().inProgress).toBe(16);
  });
});

describe("a process that is full", () => {
  test("serves accounts round-robin, however many requests each has waiting", async () => {
    const bulkhead = createBulkhead({ total: 1, perAccount: 1 });
    const begun: string[] = [];
    const first = await bulkhead.acquire({ accountId: "first", weight: 1, deadline: soon(), onDisconnect: never });
    const waiting = ["a", "a", "a", "a", "b", "b", "c"].map((id) => entering(bulkhead, id, 1, begun));
    first();
    await Promise.all(waiting.map(({ end }) => end()));
    expect(begun).toEqual(["a", "b", "c", "a", "b", "a", "a"]);
  });

  test("starts a heavy request before light ones that arrived after it", async () => {
    const bulkhead = createBulkhead({ total: 4, perAccount: 4 });
    const begun: string[] = [];
    const light = Array.from({ length: 3 }, (_, n) => entering(bulkhead, `light ${n}`, 1, begun));
    entering(bulkhead, "heavy", 4, begun);
    const late = entering(bulkhead, "late", 1, begun);
    for (const { end } of light) await end();
    await turnOfLoop();
    expect(begun.slice(3)).toEqual(["heavy"]);
    void late;
  });
});

describe("a waiting request", () => {
  test("is refused with 503 at its deadline, and makes room for the next", async () => {
    const bulkhead = createBulkhead({ total: 8, perAccount: 2 });
    const begun: string[] = [];
    const first = entering(bulkhead, "a", 1);
    const heavy = bulkhead.acquire({
      accountId: "a",
      weight: 2,
      deadline: performance.now() + 20,
      onDisconnect: never,
    });
    entering(bulkhead, "a", 1, begun);
    await expect(heavy).rejects.toMatchObject({
      code: "service_unavailable",
      reason: "account_queue",
      message: "This account has too many requests in progress. Retry in a few seconds.",
    });
    await turnOfLoop();
    expect(begun).toEqual(["a"]);
    expect(bulkhead.load()).toMatchObject({ inProgress: 2, waiting: 0, refused: 1 });
    await first.end();
  });

  test("is refused because of the process if its account has capacity", async () => {
    const bulkhead = createBulkhead({ total: 2, perAccount: 2 });
    const first = entering(bulkhead, "a", 2);
    const other = bulkhead.acquire({
      accountId: "b",
      weight: 1,
      deadline: performance.now() + 20,
      onDisconnect: never,
    });
    await expect(other).rejects.toMatchObject({ code: "service_unavailable", reason: "gateway_queue" });
    await first.end();
  });

  test("is dropped when its client disconnects, and never starts", async () => {
    const bulkhead = createBulkhead({ total: 1, perAccount: 1 });
    const first = entering(bulkhead, "a");
    let leave = never;
    const gone = bulkhead.acquire({
      accountId: "b",
      weight: 1,
      deadline: soon(),
      onDisconnect: (call) => (leave = call),
    });
    leave();
    await expect(gone).rejects.toMatchObject({ code: "service_unavailable" });
    expect(bulkhead.load()).toMatchObject({ waiting: 0, refused: 0 });
    await first.end();
    leave();
    expect(bulkhead.load().inProgress).toBe(0);
  });
});

test("in any order of requests, limits hold, none is lost, and none waits while there is capacity", async () => {
  const request = fc.record({ account: fc.constantFrom("a", "b", "c"), weight: fc.integer({ min: 1, max: 5 }) });
  const limits = fc.record({ total: fc.integer({ min: 1, max: 9 }), perAccount: fc.integer({ min: 1, max: 5 }) });
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.array(fc.oneof(request, fc.constant("end" as const)), { maxLength: 60 }),
      async (limit, steps) => {
        const bulkhead = createBulkhead(limit, 0);
        const running: { account: string; weight: number; end: Release }[] = [];
        let entered = 0;
        let ended = 0;
        const endOne = async () => {
          running.shift()?.end();
          ended++;
          await turnOfLoop();
        };
        for (const step of steps) {
          if (step === "end") {
            if (running.length > 0) await endOne();
          } else {
            entered++;
            const weight = Math.min(step.weight, limit.total, limit.perAccount);
            const turn = bulkhead.acquire({ accountId: step.account, weight, deadline: soon(), onDisconnect: never });
            void turn.then((end) => running.push({ account: step.account, weight, end }));
            await turnOfLoop();
          }
          const sum = (all: typeof running) => all.reduce((total, { weight }) => total + weight, 0);
          expect(sum(running)).toBeLessThanOrEqual(limit.total);
          for (const id of ["a", "b", "c"]) {
            expect(sum(running.filter(({ account }) => account === id))).toBeLessThanOrEqual(limit.perAccount);
          }
          expect(bulkhead.load()).toMatchObject({
            inProgress: sum(running),
            waiting: entered - ended - running.length,
          });
          if (running.length === 0) expect(bulkhead.load().waiting).toBe(0);
        }
        while (running.length > 0) await endOne();
        expect([ended, bulkhead.load()]).toEqual([
          entered,
          { inProgress: 0, waiting: 0, waitingAccounts: 0, refused: 0 },
        ]);
      },
    ),
    { numRuns: 100 },
  );
});

test("its load and its limit are metrics", async () => {
  const limits = { total: 2, perAccount: 1 };
  const bulkhead = createBulkhead(limits);
  for (const id of ["a", "a", "b", "b", "b"]) entering(bulkhead, id);
  const metrics = createMetrics({ part: "gateway", log: silentLog() });
  measureBulkhead(metrics, bulkhead, limits);
  const text = await metrics.render();
  for (const line of [
    'gateway_work_under_way{part="gateway"} 2',
    'gateway_work_under_way_max{part="gateway"} 2',
    'gateway_requests_waiting{part="gateway"} 3',
    'gateway_accounts_waiting{part="gateway"} 2',
    'gateway_requests_given_up{part="gateway"} 0',
  ]) {
    expect(text).toContain(line);
  }
});
