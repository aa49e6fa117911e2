import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Log } from "./log.js";

/** Scrapes within this time share one reading, so that several scrapers do not burden the database. */
const CACHE_MS = 5_000;

/** The buckets reach from the duration of a prepared statement to the 10 s within which everything is answered. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the metrics of one part. Each part has its own, so that several parts in one process, or several starts, never collide. A reading of gauges is
 * kept for `cacheMs` (5 s).
 */
export function createMetrics({ part, log, cacheMs = CACHE_MS }: { part: string; log: Log; cacheMs?: number }) {
  const registry = new Registry();
  registry.setDefaultLabels({ part });
  const registers = [registry];

  /** Creates a counter, which grows by 1 unless an amount is given. */
  function counter(name: string, help: string): (amount?: number) => void {
    const made = new Counter({ name, help, registers });
    return (amount) => made.inc(amount);
  }

  /** Creates a counter that is split by one property. Its values are known in advance, so their number is bounded and each starts at 0. */
  function counterBy<Value extends string>(
    name: string,
    help: string,
    { by, values }: { by: string; values: readonly Value[] },
  ): (value: Value, amount?: number) => void {
    const made = new Counter({ name, help, registers, labelNames: [by] });
    for (const value of values) made.inc({ [by]: value }, 0);
    return (value, amount) => made.inc({ [by]: value }, amount);
  }

  /**
   * Counts finished work by name and result, and measures its duration by name. Both must come from the code, never from a client, so that
   * their number is bounded.
   */
  function work(
    { by, result: end, ...names }: { total: string; seconds: string; by: string; result: string },
    help: { total: string; seconds: string },
  ): (ended: { name: string; result: string; ms: number }) => void {
    const total = new Counter({ name: names.total, help: help.total, registers, labelNames: [by, end] });
    const timed = { name: names.seconds, help: help.seconds, registers, labelNames: [by], buckets: SECONDS };
    const seconds = new Histogram(timed);
    return ({ name, result, ms }) => {
      total.inc({ [by]: name, [end]: result });
      seconds.observe({ [by]: name }, ms / 1000);
    };
  }

  /** Adds gauges that are read together at each scrape. If reading fails, they are left out, and everything else is shown. */
  function gauges<Name extends string>(
    help: Readonly<Record<Name, string>>,
    read: () => Promise<Record<Name, number>> | Record<Name, number>,
  ): void {
    const reading = keptFor(cacheMs, async () => {
      try {
        return await read();
      } catch (err) {
        log.warn({ err, gauges: Object.keys(help) }, "gauges not read");
        return undefined;
      }
    });
    for (const name of Object.keys(help) as Name[]) {
      new Gauge({
        name,
        help: help[name],
        registers,
        async collect() {
          const values = await reading();
          if (values) this.set(values[name]);
          else this.remove();
        },
      });
    }
  }

  /** Renders all metrics in Prometheus' text format. */
  const render = () => registry.metrics();

  return { counter, counterBy, work, gauges, render };
}

function keptFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; reading: Promise<T> } | undefined;
  return () => {
    if (!kept || performance.now() - kept.at >= ms) kept = { at: performance.now(), reading: read() };
    return kept.reading;
  };
}
