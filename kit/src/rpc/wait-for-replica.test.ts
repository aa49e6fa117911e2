import { Code } from "@connectrpc/connect";
import { waitForReplicas } from "./wait-for-replica.js";

let lookUps: number;
let waits: ReturnType<typeof waitForReplicas>;

beforeEach(() => {
  jest.useFakeTimers();
  lookUps = 0;
  waits = waitForReplicas(() => void lookUps++);
});
afterEach(() => {
  waits.close();
  jest.useRealTimers();
});

const SECOND_MS = 1_000;
const wait = (signal?: AbortSignal) => waits.next(waits.appearances(), performance.now() + SECOND_MS, signal);
const waitWithoutReplica = async () => {
  const waiting = wait();
  await jest.advanceTimersByTimeAsync(SECOND_MS);
  return waiting;
};

test("a call waits for its second, and the name is looked up four times a second", async () => {
  expect(await waitWithoutReplica()).toBe(false);
  expect(lookUps).toBeGreaterThanOrEqual(4);
  const before = lookUps;
  await jest.advanceTimersByTimeAsync(SECOND_MS);
  expect(lookUps).toBe(before);
});

test.each(["found", "serving"] as const)("a replica that is %s ends every wait", async (how) => {
  const waiting = [wait(), wait()];
  waits.appeared(how);
  expect(await Promise.all(waiting)).toEqual([true, true]);
});

test("one that appeared before the wait began is tried at once", async () => {
  const seen = waits.appearances();
  waits.appeared("found");
  expect(await waits.next(seen, performance.now() + SECOND_MS)).toBe(true);
  expect(lookUps).toBe(0);
});

test("64 calls wait, the next one does not", async () => {
  const waiting = Array.from({ length: 64 }, () => wait());
  expect(await wait()).toBe(false);
  waits.appeared("serving");
  expect(await Promise.all(waiting)).toEqual(Array(64).fill(true));
});

test("a service that has been away for five seconds is not waited for until one of its replicas serves again", async () => {
  for (let second = 0; second < 5; second++) expect(await waitWithoutReplica()).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  waits.appeared("found");
  expect(await wait()).toBe(false);
  waits.appeared("serving");
  const waiting = wait();
  waits.appeared("found");
  expect(await waiting).toBe(true);
});

test("a canceled call fails, and a call whose transport is closed finds no replica", async () => {
  const canceling = new AbortController();
  const canceled = wait(canceling.signal);
  const closed = wait();
  canceling.abort();
  await expect(canceled).rejects.toMatchObject({ code: Code.Canceled });
  waits.close();
  expect(await closed).toBe(false);
  expect(await wait()).toBe(false);
});
