import type { Report } from "./conformance.js";
import { exitStatus, masked, shown, toJson, toJunit, toTable } from "./report.js";
import type { Outcome } from "./run-checks.js";

const outcome = (verdict: Outcome["verdict"], reason?: string): Outcome => ({
  id: `orders.${verdict.replace(" ", "-")}`,
  verdict,
  ...(reason !== undefined && { reason }),
  proves: ["It <holds>."],
  requests: 1,
  ms: 12,
});

const passed = outcome("passed");
const failed = outcome("failed", 'is "a" & not b\u0000');
const skipped = outcome("skipped", "needs --slow");
const notApplicable = outcome("not applicable", "because a switch is on");
const notJudged = outcome("not judged", "no answer");

const reportOf = (...outcomes: Outcome[]): Report => ({
  baseUrl: "https://ship.example/api/v1",
  profile: "spec",
  run: "conformance-1",
  outcomes,
  requests: outcomes.length,
  unproven: [{ section: "Rules", sentence: "It may hold.", reason: "is a guess" }],
  leftBehind: { orders: 2, shipments: 1, labels: 0, webhooks: 1 },
  stillActive: ["whk_1"],
});

test("the exit status: 0 conforms, 1 does not, 3 could not be judged", () => {
  expect(exitStatus(reportOf(passed, skipped), false)).toBe(0);
  expect(exitStatus(reportOf(passed, skipped), true)).toBe(3);
  expect(exitStatus(reportOf(passed, notApplicable), false)).toBe(0);
  expect(exitStatus(reportOf(passed, notApplicable), true)).toBe(3);
  expect(exitStatus(reportOf(passed, notJudged), false)).toBe(3);
  expect(exitStatus(reportOf(passed, notJudged, failed), false)).toBe(1);
});

test("the table names each check, quotes what is broken, and says what stays", () => {
  const table = toTable(reportOf(passed, failed, skipped, notApplicable));
  expect(table).toMatch(/^passed {10}orders\.passed$/m);
  expect(table).toMatch(/^failed {10}orders\.failed {10}is "a" & not b/m);
  expect(table).toMatch(/^not applicable {2}orders\.not-applicable {2}because a switch is on$/m);
  expect(table).toMatch(/^ +> It <holds>\.$/m);
  expect(table).toContain("is a guess: It may hold.");
  expect(table).toContain("2 orders, 1 shipments, 0 labels (their references start with conformance-1), 1 disabled");
  expect(table).toContain("Still active: subscription whk_1. Disable it yourself.");
  expect(table).toMatch(/4 requests: 1 passed, 1 failed, 1 skipped, 1 not applicable, 0 not judged\n$/);
});

test("JUnit: failures, skips, and errors for what could not be judged, well-formed whatever the reason", () => {
  expect(toJunit(reportOf(passed, failed, skipped, notJudged)).split("\n")).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuite name="conformance-1" tests="4" failures="1" errors="1" skipped="1">',
    '  <testcase classname="orders" name="orders.passed" time="0.012"/>',
    '  <testcase classname="orders" name="orders.failed" time="0.012"><failure message="is &#34;a&#34; &#38; not b\ufffd">It &#60;holds&#62;.</failure></testcase>',
    '  <testcase classname="orders" name="orders.skipped" time="0.012"><skipped message="needs --slow"></skipped></testcase>',
    '  <testcase classname="orders" name="orders.not-judged" time="0.012"><error message="no answer"></error></testcase>',
    "</testsuite>",
    "",
  ]);
});

test("JSON has everything, under the API's kind of names", () => {
  const read = JSON.parse(toJson(reportOf(failed), 1));
  expect(read).toMatchObject({ base_url: "https://ship.example/api/v1", exit_status: 1, still_active: ["whk_1"] });
  expect(read.checks).toEqual([failed]);
});

test("keys and secrets are masked", () => {
  const text = 'Bearer service_test_eu_abcdefgh1234, "service_live_zyxw9876" and "whsec_a+b/c=" of service_sandbox';
  expect(masked(text)).toBe('Bearer service_test_…1234, "service_live_…9876" and "whsec_…" of service_sandbox');
});

test("a response of the API cannot control the terminal, and keeps its lines", () => {
  expect(shown("code \u001b]0;owned\u0007\r\nof service_test_abcd1234 \u202eabc")).toBe(
    "code \\u001b]0;owned\\u0007\\u000d\nof service_test_…1234 \\u202eabc",
  );
});
