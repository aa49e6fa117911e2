import { closedLoop, type Operation, openLoop } from "../kit/load.js";
import { percentile } from "../kit/statistics.js";
import type { Case } from "./cases.js";
import { type Comparison, compareRounds, measureRound, type Round } from "./round.js";
import type { Seeds } from "./seed.js";
import { settled, type Target } from "./target.js";

/** Duration and load of a case's measurement. */
export interface Effort {
  rounds: number;
  /** Seconds of each round and target. */
  seconds: number;
  clients: number;
  /** Requests per second of the open loop. */
  rate: number;
}

/** Milliseconds of an operation in an open loop. */
export interface Latency {
  p50: number;
  p99: number;
}

/** A case, measured on the platform and its floor. */
export interface CaseResult extends Comparison {
  latency: { platform: Latency; floor: Latency };
  /** Operations that were started on both, including the warm-up. */
  attempts: number;
  /** The number of each error. With many errors, the other figures have no meaning. */
  failures: Record<string, number>;
}

type Tally = Pick<CaseResult, "attempts" | "failures">;

interface Side {
  target: Target;
  seeds: Seeds;
  operation: Operation;
  rounds: Round[];
  latencies: number[];
}

const WARM_UP_SECONDS = 3;

/** Measures a case on the platform and its floor in turn, so that other load on the machine affects both. */
export async function measureCase(
  one: Case,
  targets: { platform: { target: Target; seeds: Seeds }; floor: { target: Target; seeds: Seeds } },
  effort: Effort,
): Promise<CaseResult> {
  const tally: Tally = { attempts: 0, failures: {} };
  const sideOf = ({ target, seeds }: { target: Target; seeds: Seeds }): Side => {
    const operation = counting(one.operation(target, seeds), target.name, tally);
    return { target, seeds, operation, rounds: [], latencies: [] };
  };
  const platform = sideOf(targets.platform);
  const floor = sideOf(targets.floor);
  for (const { target, seeds, operation } of [platform, floor]) {
    await one.prepare?.(target, seeds, WARM_UP_SECONDS);
    await closedLoop(operation, { ...effort, seconds: WARM_UP_SECONDS });
  }
  const steadily = { ...effort, rate: effort.rate / (one.requests ?? 1) };
  for (let round = 0; round < effort.rounds; round++) {
    for (const side of round % 2 === 0 ? [platform, floor] : [floor, platform]) {
      await one.prepare?.(side.target, side.seeds, 2 * effort.seconds);
      await settled(side.target);
      side.rounds.push(await measureRound(side.target, () => closedLoop(side.operation, effort)));
      side.latencies.push(...(await openLoop(side.operation, steadily)).latencies);
    }
  }
  return {
    ...compareRounds(platform.rounds, floor.rounds),
    latency: { platform: latencyOf(platform), floor: latencyOf(floor) },
    ...tally,
  };
}

function counting(operation: Operation, name: string, tally: Tally): Operation {
  return () => {
    tally.attempts++;
    return operation().catch((error: Error) => {
      const reason = `${name}: ${error.message}`.slice(0, 200);
      tally.failures[reason] = (tally.failures[reason] ?? 0) + 1;
      throw error;
    });
  };
}

function latencyOf({ latencies }: Side): Latency {
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
