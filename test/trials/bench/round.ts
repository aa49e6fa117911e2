import { type Spread, spread } from "../kit/statistics.js";
import { settled, type Target } from "./target.js";

/** The cost of a round of work on a target. */
export interface Round {
  operations: number;
  perSecond: number;
  /** Milliseconds of CPU per operation, of all processes together and of each, by its name. */
  cpuMs: number;
  cpuMsOf: Record<string, number>;
  /** Committed transactions per operation, by database; each statement is one here. */
  statementsOf: Record<string, number>;
  /** Bytes per operation that remain in the databases. */
  storedBytes: number;
}

/** Several rounds of a target combined: medians where no spread is given. */
export interface Cost {
  perSecond: Spread;
  cpuMs: Spread;
  cpuMsOf: Record<string, number>;
  statementsOf: Record<string, number>;
  storedBytes: number;
}

/** The platform's cost, the floor's, and the ratio of the floor's to the platform's, round by round. */
export interface Comparison {
  platform: Cost;
  floor: Cost;
  ratio: { cpu: Spread; throughput: Spread };
}

/** Runs a round of work on an idle target, and waits until the work that it triggers is done, too. */
export async function measureRound(
  target: Target,
  work: () => Promise<{ operations: number; seconds: number }>,
): Promise<Round> {
  const before = { cpu: target.cpuMs(), databases: await target.databases() };
  const { operations, seconds } = await work();
  await settled(target);
  const after = { cpu: target.cpuMs(), databases: await target.databases() };
  const each = (now: Record<string, number>, then: Record<string, number>) =>
    Object.fromEntries(Object.entries(now).map(([name, value]) => [name, (value - (then[name] ?? 0)) / operations]));
  const cpuMsOf = each(after.cpu, before.cpu);
  return {
    operations,
    perSecond: operations / seconds,
    cpuMs: sum(cpuMsOf),
    cpuMsOf,
    statementsOf: each(after.databases.commits, before.databases.commits),
    storedBytes: sum(each(after.databases.bytes, before.databases.bytes)),
  };
}

/** Compares rounds of the platform with the floor's rounds that ran in between. */
export function compareRounds(platform: readonly Round[], floor: readonly Round[]): Comparison {
  const pairs = platform.map((round, index) => [round, floor[index]!] as const);
  return {
    platform: costOf(platform),
    floor: costOf(floor),
    ratio: {
      cpu: spread(pairs.map(([ours, least]) => least.cpuMs / ours.cpuMs)),
      throughput: spread(pairs.map(([ours, least]) => ours.perSecond / least.perSecond)),
    },
  };
}

function costOf(rounds: readonly Round[]): Cost {
  return {
    perSecond: spread(rounds.map(({ perSecond }) => perSecond)),
    cpuMs: spread(rounds.map(({ cpuMs }) => cpuMs)),
    cpuMsOf: medians(rounds.map(({ cpuMsOf }) => cpuMsOf)),
    statementsOf: medians(rounds.map(({ statementsOf }) => statementsOf)),
    storedBytes: spread(rounds.map(({ storedBytes }) => storedBytes)).median,
  };
}

function medians(records: readonly Record<string, number>[]): Record<string, number> {
  const names = Object.keys(records[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, spread(records.map((of) => of[name] ?? 0)).median]));
}

function sum(of: Record<string, number>): number {
  return Object.values(of).reduce((total, value) => total + value, 0);
}
