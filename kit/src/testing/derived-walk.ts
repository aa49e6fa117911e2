import { randomBytes } from "node:crypto";
import type { DerivedRows } from "../derived/derived-rows.js";
import { createDerivedWalk } from "../derived/keep-derived.js";
import { type Log, silentLog } from "../process/log.js";

/** The walk of a process through derived rows, with a clock of its own and its metrics. */
export function derivedWalk(all: readonly DerivedRows[], log: Log = silentLog()) {
  let time = 0;
  const counts: Record<string, number> = {};
  const gauges: (() => Promise<Record<string, number>> | Record<string, number>)[] = [];
  const walk = createDerivedWalk({
    ...{ all, log, random: randomBytes, nowMs: () => time },
    metrics: {
      counterBy:
        (name) =>
        (value, amount = 1) => {
          const counted = `${name} ${value}`;
          counts[counted] = (counts[counted] ?? 0) + amount;
        },
      gauges: (_, read) => void gauges.push(read),
    },
  });
  return {
    counts,
    lost: async () => (await gauges[0]!()).derived_rows_lost,
    /** Moves the clock, for the work that a step seems to take, too. */
    pass: (ms: number) => {
      time += ms;
    },
    step: walk.once,
    /** Makes so many steps, with all the rest that the walk takes between them. */
    async steps(count: number) {
      for (let at = 0; at < count; at++) {
        time += 3_600_000;
        await walk.once();
      }
    },
  };
}
