import type { Report } from "./conformance.js";
import type { Outcome, Verdict } from "./run-checks.js";

/** 0: conforms; 1: does not conform; 3: some checks could not be judged. */
export function exitStatus({ outcomes }: Report, noSkips: boolean): 0 | 1 | 3 {
  const has = (verdict: Verdict) => outcomes.some((outcome) => outcome.verdict === verdict);
  if (has("failed")) return 1;
  return has("not judged") || (noSkips && (has("skipped") || has("not applicable"))) ? 3 : 0;
}

export function toTable(report: Report): string {
  const { baseUrl, profile, run, outcomes, requests, unproven } = report;
  const width = Math.max(...outcomes.map(({ id }) => id.length));
  return [
    `${baseUrl}, profile ${profile}, run ${run}`,
    "",
    ...outcomes.flatMap((outcome) => formatRow(outcome, width)),
    "",
    `Sentences of the specification that no check fully proves: ${unproven.length}`,
    ...unproven.map(({ sentence, reason }) => `  ${reason}: ${sentence}`),
    "",
    ...formatLeftBehind(report),
    `${requests} requests: ${formatCounts(outcomes)}`,
    "",
  ].join("\n");
}

function formatRow({ id, verdict, reason, proves }: Outcome, width: number): string[] {
  const row = [verdict.padEnd(14), id.padEnd(width), reason].filter((cell) => cell !== undefined).join("  ");
  return verdict === "failed" ? [row, ...proves.map((quote) => `${" ".repeat(16)}> ${quote}`)] : [row.trimEnd()];
}

function formatCounts(outcomes: readonly Outcome[]): string {
  const verdicts: Verdict[] = ["passed", "failed", "skipped", "not applicable", "not judged"];
  const count = (verdict: Verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length;
  return verdicts.map((verdict) => `${count(verdict)} ${verdict}`).join(", ");
}

function formatLeftBehind({ leftBehind, stillActive, run }: Report): string[] {
  const { webhooks = 0, ...records } = leftBehind;
  const counts = Object.entries(records).map(([name, count]) => `${count} ${name}`);
  return [
    `Left behind, because the API cannot delete them: ${counts.join(", ")} (their references start with ${run}), ${webhooks} disabled subscriptions.`,
    ...stillActive.map((id) => `Still active: subscription ${id}. Disable it yourself.`),
  ];
}

/** The report for programs, in snake_case as in the API. */
export function toJson(report: Report, status: number): string {
  const { baseUrl, profile, run, outcomes, requests, unproven, leftBehind, stillActive } = report;
  const machine = {
    base_url: baseUrl,
    profile,
    run,
    exit_status: status,
    requests,
    checks: outcomes,
    unproven,
    left_behind: leftBehind,
    still_active: stillActive,
  };
  return `${JSON.stringify(machine, null, 2)}\n`;
}

/** The report for test runners. Checks that could not be judged are errors. */
export function toJunit({ outcomes, run }: Report): string {
  const count = (verdict: Verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length;
  const counts = `tests="${outcomes.length}" failures="${count("failed")}" errors="${count("not judged")}" skipped="${count("skipped") + count("not applicable")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${run}" ${counts}>`,
    ...outcomes.map(toTestCase),
    "</testsuite>",
    "",
  ].join("\n");
}

const ELEMENTS = { failed: "failure", skipped: "skipped", "not applicable": "skipped", "not judged": "error" } as const;

function toTestCase({ id, verdict, reason = "", proves, ms }: Outcome): string {
  const start = `  <testcase classname="${id.split(".")[0]}" name="${id}" time="${(ms / 1_000).toFixed(3)}"`;
  if (verdict === "passed") return `${start}/>`;
  const element = ELEMENTS[verdict];
  const text = verdict === "failed" ? escaped(proves.join("\n")) : "";
  return `${start}><${element} message="${escaped(reason)}">${text}</${element}></testcase>`;
}

// XML 1.0 does not allow these control characters, not even escaped.
function escaped(text: string): string {
  const visible = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  return visible.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Masks keys and secrets. The last four characters of a key stay. */
export function masked(text: string): string {
  return text
    .replace(/service_(test|live)_\w+/g, (key, environment) => `service_${environment}_…${key.slice(-4)}`)
    .replace(/whsec_[\w+/=-]+/g, "whsec_…");
}

/** Masked text for a terminal. Escapes control characters, so that text from the API cannot control the terminal. */
export function shown(text: string): string {
  return masked(text).replace(
    /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
