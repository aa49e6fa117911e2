import type { Spread } from "../kit/statistics.js";
import { textTable } from "../kit/text-table.js";
import type { Ratios } from "./compare-ratios.js";
import { type Machine, machineLine } from "./machine.js";
import type { CaseResult } from "./measure-case.js";
import type { EventLatency } from "./measure-deliveries.js";
import type { Comparison } from "./round.js";

/** A case over HTTP; for deliveries, only the comparison. */
type Result = Comparison & Partial<CaseResult>;

/** All results of a run, in the form of the JSON file. */
export interface Report {
  machine: Machine;
  startedAt: string;
  effort: { rounds: number; seconds: number; clients: number; rate: number; replicas: number };
  cases: Record<string, Result>;
  /** Measured with the deliveries. */
  events?: EventLatency | undefined;
  /** Megabytes of each process of the platform, before and after the cases. */
  memoryMb: { before: Record<string, number>; after: Record<string, number> };
}

/** The main figures: the ratio of each case to its floor. */
export function cpuRatiosOf({ cases }: Report): Ratios {
  return Object.fromEntries(Object.entries(cases).map(([name, { ratio }]) => [name, ratio.cpu.median]));
}

/** The report as text. */
export function renderReport({ machine, effort, cases, events, memoryMb }: Report): string {
  const { rounds, seconds, clients, rate, replicas } = effort;
  const results = Object.entries(cases);
  const ofEach = (values: (result: Result) => Record<string, number>) =>
    results.map(([name, result]) => [name, values(result)] as const);
  return [
    machineLine(machine),
    `${rounds} rounds of ${seconds} s on platform and floor in turn, ${clients} clients, ${replicas} of each part; latency at ${rate} requests a second`,
    "",
    textTable(
      ["case", "per s", "floor", "CPU ms", "floor", "by CPU", "by throughput"],
      results.map(([name, { platform, floor, ratio }]) => [
        name,
        withRange(platform.perSecond, 0),
        withRange(floor.perSecond, 0),
        withRange(platform.cpuMs, 2),
        withRange(floor.cpuMs, 2),
        withRange(ratio.cpu, 2),
        withRange(ratio.throughput, 2),
      ]),
    ),
    "",
    "Latency in ms, and KB that stay in the databases per 1,000 operations",
    textTable(
      ["", "p50", "p99", "floor p50", "floor p99", "KB", "floor"],
      results.map(([name, { latency, platform, floor }]) => [
        name,
        ...[latency?.platform, latency?.floor].flatMap((of) => [of?.p50.toFixed(1) ?? "", of?.p99.toFixed(1) ?? ""]),
        ...[platform, floor].map(({ storedBytes }) => ((1000 * storedBytes) / 1024).toFixed(0)),
      ]),
    ),
    "",
    ...(events ? [eventLine(events), ""] : []),
    "Microseconds of CPU per operation, by process",
    byName(
      ofEach(({ platform }) => platform.cpuMsOf),
      0,
      1000,
    ),
    "",
    "Statements per operation, by database",
    byName(
      ofEach(({ platform }) => platform.statementsOf),
      2,
    ),
    "",
    "Memory in MB, by process",
    byName(Object.entries(memoryMb), 0),
    ...failures(results),
  ].join("\n");
}

function eventLine({ perSecond, p50, p95, p99 }: EventLatency): string {
  const [middle, most, nearlyAll] = [p50, p95, p99].map((ms) => ms.toFixed(1));
  return `Events at ${perSecond.toFixed(0)} a second, from answer to receipt: p50 ${middle} ms, p95 ${most} ms, p99 ${nearlyAll} ms`;
}

function withRange({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

function byName(rows: readonly (readonly [string, Record<string, number>])[], digits: number, factor = 1): string {
  const names = Object.keys(rows[0]?.[1] ?? {});
  return textTable(
    ["", ...names, "all"],
    rows.map(([name, of]) => {
      const values = names.map((column) => factor * (of[column] ?? 0));
      const all = values.reduce((sum, value) => sum + value, 0);
      return [name, ...[...values, all].map((value) => value.toFixed(digits))];
    }),
  );
}

function failures(results: readonly [string, Result][]): string[] {
  return results.flatMap(([name, result]) =>
    Object.entries(result.failures ?? {}).map(([reason, count]) => `Failed: ${name}, ${count} × ${reason}`),
  );
}
