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

test("a gateway or portal may grow by as much as the attack is allowed, from its size before", () => {
  const before = { "gateway-1": 160, "portal-1": 150, "records-1": 120 };
  const limits = { gateway: 512, portal: 512, records: 384 };
  const peaks = { "gateway-1": 240, "portal-1": 230, "records-1": 380 };
  expect(brokenMemory({ before, peaks }, limits, 80)).toEqual([]);
  expect(brokenMemory({ before, peaks: { ...peaks, "gateway-1": 241, "portal-1": 232 } }, limits, 80)).toEqual([
    "gateway-1 had 81 MB more than before, above 80",
    "portal-1 had 82 MB more than before, above 80",
  ]);
  expect(brokenMemory({ before, peaks: { "gateway-1": 510, "records-1": 385 } }, limits)).toEqual([
    "records-1 had 385 MB, above its limit of 384",
  ]);
});

test("a trial can allow less than twice the time", () => {
  const alone = { latencies: [10], eventLatencies: [], missingEvents: 0, errors: {} };
  const allowed = { times: 1.2, ms: 5 };
  expect(brokenService(alone, { ...alone, latencies: [15] }, {}, allowed)).toEqual([]);
  expect(brokenService(alone, { ...alone, latencies: [15.1] }, {}, allowed)).toEqual(["p99 is 15.1 ms, above 15.0"]);
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
