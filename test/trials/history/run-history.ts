import { openEventReceiver } from "../kit/event-receiver.js";
import type { Say } from "../kit/report.js";
import { pieceOf } from "./check/judge.js";
import { clocksStage } from "./faults/clocks.js";
import { disksStage } from "./faults/disks.js";
import { failoverStage, natsStage, processStage } from "./faults/processes.js";
import type { Stage, StageOptions } from "./faults/stage.js";
import { upgradeStage } from "./faults/upgrade.js";
import { LIMIT, type Pace, playRound, startGreedy } from "./round.js";
import { chanceFrom } from "./workload/recorder.js";

/** The results of a trial. */
export interface HistoryReport {
  seed: number;
  operations: number;
  events: number;
  limited: number;
  anomalies: number;
  /** Operations and anomalies by fault. */
  faults: Record<string, { rounds: number; operations: number; anomalies: number }>;
}

const STAGES: readonly { faults: readonly string[]; start(options: StageOptions): Promise<Stage> }[] = [
  { faults: ["none", "kill", "stop", "crash", "hang"], start: processStage },
  { faults: ["nats"], start: natsStage },
  { faults: ["failover"], start: failoverStage },
  { faults: ["clocks"], start: clocksStage },
  { faults: ["disk-full"], start: disksStage },
  { faults: ["upgrade"], start: upgradeStage },
];
const CUSTOMERS = 6;
const CLIENTS = 8;
const SHOWN = 10;

/** Plays the faults repeatedly, one after the other, until the time is over, each round with customers of its own. */
export async function runHistory(
  say: Say,
  options: { minutes: number; calm: number; faults: readonly string[]; seed: number; revision: string },
): Promise<HistoryReport> {
  const { minutes, faults, seed, revision } = options;
  const pace: Pace = { calmMs: options.calm * 1000, customers: CUSTOMERS, clients: CLIENTS };
  const chance = chanceFrom(seed);
  const report: HistoryReport = { seed, operations: 0, events: 0, limited: 0, anomalies: 0, faults: {} };
  const untilMs = performance.now() + minutes * 60_000;
  const sink = await openEventReceiver();
  do {
    for (const { faults: known, start } of STAGES) {
      const chosen = known.filter((name) => faults.includes(name));
      if (chosen.length > 0) await playStage(chosen, start);
    }
  } while (performance.now() < untilMs);
  await sink.close();
  return report;

  async function playStage(names: readonly string[], start: (typeof STAGES)[number]["start"]): Promise<void> {
    const stage = await start({ limit: LIMIT, chance, revision });
    try {
      const greedy = await startGreedy(stage, chance);
      for (const name of names) {
        say(`${name}, after ${report.operations} operations`);
        const round = await playRound(stage, { name, play: stage.faults[name]! }, { sink, chance, pace, greedy });
        const { operations, events, limited, anomalies } = round;
        say(`${name}: ${operations} operations, ${events} events, ${anomalies.length} anomalies`);
        for (const anomaly of anomalies.slice(0, SHOWN)) say(pieceOf(anomaly));
        report.operations += operations;
        report.events += events;
        report.limited += limited;
        report.anomalies += anomalies.length;
        const before = report.faults[name] ?? { rounds: 0, operations: 0, anomalies: 0 };
        report.faults[name] = {
          rounds: before.rounds + 1,
          operations: before.operations + operations,
          anomalies: before.anomalies + anomalies.length,
        };
      }
      await greedy.stop();
    } finally {
      await stage.stop();
    }
  }
}
