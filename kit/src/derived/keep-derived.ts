import { newId, type Random } from "../ids.js";
import type { Log } from "../process/log.js";
import { startLoop } from "../process/loop.js";
import type { Metrics } from "../process/metrics.js";
import { canRepair, type DerivedRows, type Difference, nameOf } from "./derived-rows.js";
import { type Place, placeOf } from "./walk.js";

/** The time after which a difference counts if it is still there: longer than any copy takes that is made after an answer. */
export const SETTLE_MS = 10_000;

/** The share of a core that a walk takes, here and in the database: it rests for 99 times as long as a page has taken. */
const SHARE = 0.01;
/** So few that a page takes a few milliseconds, and so many that the fixed cost of its statements is small. */
const PAGE = 100;
/** A process that has just started has other work. */
const FIRST_MS = 600_000;
const RETRY_MS = 60_000;
/** A page that fails so often holds up the other kinds no longer: its kind is walked again in the next round. */
const MAX_FAILURES = 30;
const TICK_MS = 1_000;
/** How many IDs a log line has. */
const LOGGED = 20;

interface Options {
  all: readonly DerivedRows[];
  log: Log;
  metrics: Pick<Metrics, "counterBy" | "gauges">;
  random: Random;
  /** Only for tests. */
  nowMs?: () => number;
}

/** Creates the walk of one process through its derived rows, round after round. */
export function createDerivedWalk({ all, log, metrics, random, nowMs = () => performance.now() }: Options) {
  const kinds = all.map(({ kind }) => kind);
  const by = { by: "kind", values: kinds };
  const compared = metrics.counterBy("derived_rows_compared_total", "Derived rows compared with their source.", by);
  const repaired = metrics.counterBy("derived_rows_repaired_total", "Derived rows that were wrong and repaired.", by);
  const lost = { now: 0, before: 0 };
  const help = { derived_rows_lost: "Derived rows whose source is gone, as of the last complete walk." };
  metrics.gauges(help, () => ({ derived_rows_lost: Math.max(lost.now, lost.before) }));

  let at = 0;
  let isFirstRound = true;
  let place = beginningOf(all[0], random);
  /** The differences of the current page, which count once they are found again. */
  let suspected: ReadonlySet<string> | undefined;
  let restUntilMs = nowMs() + FIRST_MS;
  let failures = 0;

  function goOn(next: Place): void {
    place = next;
    suspected = undefined;
    if (next !== undefined) return;
    at = (at + 1) % all.length;
    if (at === 0) isFirstRound = false;
    place = isFirstRound ? beginningOf(all[at], random) : undefined;
    if (at === 0) Object.assign(lost, { before: lost.now, now: 0 });
  }

  async function count(rows: DerivedRows, found: readonly Difference[]): Promise<void> {
    const repairable = found.filter(canRepair);
    if (repairable.length > 0) {
      await rows.repair(repairable);
      repaired(rows.kind, repairable.length);
      log.warn({ kind: rows.kind, count: repairable.length, first: toLog(repairable) }, "derived rows repaired");
    }
    const gone = found.filter((one) => !canRepair(one));
    lost.now += gone.length;
    if (gone.length > 0)
      log.error({ kind: rows.kind, count: gone.length, first: toLog(gone) }, "the source of derived rows is gone");
  }

  async function step(rows: DerivedRows): Promise<number> {
    const page = await rows.compare(place, PAGE);
    const found = page.differences.filter((one) => suspected?.has(nameOf(one)));
    if (!suspected && page.differences.length > 0) {
      suspected = new Set(page.differences.map(nameOf));
      return SETTLE_MS;
    }
    await count(rows, found);
    compared(rows.kind, page.rows);
    goOn(page.next);
    return 0;
  }

  /** Makes the next step, if the walk has rested. */
  async function once(): Promise<void> {
    const begunMs = nowMs();
    if (begunMs < restUntilMs) return;
    try {
      const waitMs = await step(all[at]!);
      failures = 0;
      const tookMs = nowMs() - begunMs;
      restUntilMs = nowMs() + Math.max(waitMs, tookMs * (1 / SHARE - 1));
    } catch (err) {
      log.warn({ err, kind: all[at]!.kind }, "derived rows not compared; the walk goes on in a minute");
      if (++failures === MAX_FAILURES) {
        failures = 0;
        goOn(undefined);
      }
      restUntilMs = nowMs() + RETRY_MS;
    }
  }

  return { once };
}

/** Walks through derived rows as long as the process runs, compares them with their source and repairs them, with a hundredth of a core. */
export function keepDerived(options: Options) {
  const walk = createDerivedWalk(options);
  return startLoop({ name: "derived rows", everyMs: TICK_MS, log: options.log, once: walk.once });
}

// The first walk of each process begins elsewhere, so that the end of a large table is reached although processes are replaced.
function beginningOf(rows: DerivedRows | undefined, random: Random): Place {
  return rows?.startsAt === undefined ? undefined : placeOf([newId(rows.startsAt, random)]);
}

const toLog = (found: readonly Difference[]) => found.slice(0, LOGGED).map(nameOf);
