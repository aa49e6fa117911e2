import { addEnd, type CountedEnd, newTally, startOfHour } from "./tally.js";

const at = (ms: number) => new Date(1_700_000_000_000 + ms);

function tallied(...ends: Partial<CountedEnd>[]) {
  const tally = newTally("whk_1");
  const common = { subscriptionId: "whk_1", delivered: false, exhausted: false };
  for (const [n, end] of ends.entries()) addEnd(tally, { ...common, at: at(n), ...end });
  return tally;
}

test("a success ends a failing time; the first failure after it begins another", () => {
  expect(tallied({ status: 500 }, { delivered: true }, { status: 502 }, { status: 503 })).toMatchObject({
    delivered: 1,
    failed: 3,
    lastSuccessAt: at(1),
    lastFailureAt: at(3),
    failingSince: at(2),
    reason: "status",
    status: 503,
  });
  expect(tallied({ status: 500 }, { delivered: true }).failingSince).toBeNull();
});

test("the last failure has its reason, without the status of one before it", () => {
  expect(tallied({ status: 500 }, { reason: "tls_expired" })).toMatchObject({ reason: "tls_expired", status: null });
});

test("an attempt that ended with its process is no failure of the receiver; that nothing follows it counts", () => {
  expect(tallied({ reason: "interrupted" }, { reason: "lease_expired", exhausted: true })).toEqual({
    ...newTally("whk_1"),
    exhausted: 1,
  });
});

test("an hour begins with its first millisecond", () => {
  const begin = Date.UTC(2026, 0, 1, 10);
  expect([
    startOfHour(new Date(begin)),
    startOfHour(new Date(begin - 1)),
    startOfHour(new Date(begin + 3_599_999)),
  ]).toEqual([begin, begin - 3_600_000, begin]);
});
