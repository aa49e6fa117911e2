import { type Broken, brokenMemory, brokenService, verdictOn } from "./verdict.js";

const kept: Broken = { service: [], memory: [] };
const slow: Broken = { service: ["p99 is 60.0 ms, above 40.0"], memory: [] };
const large: Broken = { service: [], memory: ["gateway-1 had 95 MB more than before, above 80"] };

test.each([
  ["keeps its promises at once", [kept], "kept"],
  ["is slow once", [slow], undefined],
  ["is slow once in two plays", [slow, kept], undefined],
  ["is slow once in three plays", [slow, kept, kept], "kept"],
  ["is slow in two plays", [slow, slow], "broken"],
  ["is slow in two of three plays", [slow, kept, slow], "broken"],
  ["takes too much memory in the first play", [large], "broken"],
  ["takes too much memory in the last play alone", [slow, kept, large], "broken"],
])("an attack that %s gets the right verdict", (_, plays, verdict) => {
  expect(verdictOn(plays)).toBe(verdict);
});

test("a gateway may grow by as much as the attack is allowed, from its size before", () => {
  const before = { "gateway-1": 160, "records-1": 120 };
  const limits = { gateway: 512, records: 384 };
  expect(brokenMemory({ before, peaks: { "gateway-1": 240, "records-1": 380 } }, limits, 80)).toEqual([]);
  expect(brokenMemory({ before, peaks: { "gateway-1": 241, "records-1": 380 } }, limits, 80)).toEqual([
    "gateway-1 had 81 MB more than before, above 80",
  ]);
  expect(brokenMemory({ before, peaks: { "gateway-1": 510, "records-1": 385 } }, limits)).toEqual([
    "records-1 had 385 MB, above its limit of 384",
  ]);
});

test("response times, errors, events and the attack's counters are judged beside those without the attack", () => {
  const alone = { latencies: [10], eventLatencies: [], missingEvents: 0, errors: {} };
  expect(brokenService(alone, { ...alone, latencies: [30] }, { "refused own requests": 0 })).toEqual([]);
  const beside = { latencies: [31], eventLatencies: [], missingEvents: 2, errors: { "503": 4 } };
  expect(brokenService(alone, beside, { "refused own requests": 3 })).toEqual([
    "4 × 503",
    "p99 is 31.0 ms, above 30.0",
    "2 events are missing",
    "3 refused own requests, above 0",
  ]);
});
