import { setImmediate as turnOfLoop } from "node:timers/promises";
import fc from "fast-check";
import { type Bulkhead, createBulkhead, type Release, type WorkRequest } from "./bulkhead.js";

const never = () => {};

/** A request that gives up after a minute. */
const request = (accountId: string, weight = 1, changed: Partial<WorkRequest> = {}): WorkRequest => ({
  ...{ accountId, weight, deadline: performance.now() + 60_000, onDisconnect: never, ...changed },
});
const in20Ms = () => ({ deadline: performance.now() + 20 });

const waiting = new Set<() => void>();
afterEach(() => {
  for (const leave of waiting) leave();
  waiting.clear();
});

/** Acquires, and notes when the request has started. Requests that are still waiting at the end of the test are dropped. */
function entering(bulkhead: Bulkhead, accountId: string, weight = 1, begun: string[] = []) {
  const turn = bulkhead.acquire(request(accountId, weight, { onDisconnect: (gone) => void waiting.add(gone) }));
  turn.then(() => begun.push(accountId)).catch(never);
  return { end: async () => (await turn)() };
}

describe("one account", () => {
  test("has a limited weight in progress, and its requests start in their order", async () => {
    const bulkhead = createBulkhead({ total: 100, perAccount: 3 });
    const begun: number[] = [];
    const turns = Array.from({ length: 10 }, async (_, n) => {
      const end = await bulkhead.acquire(request("a"));
      begun.push(n);
      return end;
    });
    await turnOfLoop();
    expect(begun).toEqual([0, 1, 2]);
    expect(bulkhead.load()).toEqual({ inProgress: 3, waiting: 7, waitingAccounts: 1, refused: 0 });
    for (const turn of turns) (await turn)();
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("starts each waiting request in its own turn of the event loop, so that others run between them", async () => {
    const bulkhead = createBulkhead({ total: 100, perAccount: 1 });
    const turns: string[] = [];
    const work = Array.from({ length: 4 }, async () => {
      const end = await bulkhead.acquire(request("a"));
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
});

describe("a process that is full", () => {
  test("serves accounts round-robin, however many requests each has waiting", async () => {
    const bulkhead = createBulkhead({ total: 1, perAccount: 1 });
    const begun: string[] = [];
    const first = await bulkhead.acquire(request("first"));
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
    entering(bulkhead, "late", 1, begun);
    for (const { end } of light) await end();
    await turnOfLoop();
    expect(begun.slice(3)).toEqual(["heavy"]);
  });
});

describe("a waiting request", () => {
  test("is refused with 503 at its deadline, and makes room for the next", async () => {
    const bulkhead = createBulkhead({ total: 8, perAccount: 2 });
    const begun: string[] = [];
    const first = entering(bulkhead, "a", 1);
    const heavy = bulkhead.acquire(request("a", 2, in20Ms()));
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
    await expect(bulkhead.acquire(request("b", 1, in20Ms()))).rejects.toMatchObject({ reason: "gateway_queue" });
    await first.end();
  });

  test("is dropped when its client disconnects, and never starts", async () => {
    const bulkhead = createBulkhead({ total: 1, perAccount: 1 });
    const first = entering(bulkhead, "a");
    let leave = never;
    const gone = bulkhead.acquire(request("b", 1, { onDisconnect: (call) => (leave = call) }));
    leave();
    await expect(gone).rejects.toMatchObject({ code: "service_unavailable" });
    expect(bulkhead.load()).toMatchObject({ waiting: 0, refused: 0 });
    await first.end();
    leave();
    expect(bulkhead.load().inProgress).toBe(0);
  });
});

test("in any order of requests, limits hold, none is lost, and none waits while there is capacity", async () => {
  const one = fc.record({ account: fc.constantFrom("a", "b", "c"), weight: fc.integer({ min: 1, max: 5 }) });
  const limits = fc.record({ total: fc.integer({ min: 1, max: 9 }), perAccount: fc.integer({ min: 1, max: 5 }) });
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.array(fc.oneof(one, fc.constant("end" as const)), { maxLength: 60 }),
      async (limit, steps) => {
        const bulkhead = createBulkhead(limit);
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
            // A weight above a limit counts as the limit.
            const turn = bulkhead.acquire(request(step.account, step.weight));
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
