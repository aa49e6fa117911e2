import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Bus } from "../events/bus.js";
import type { Outbox } from "../ledger/outbox.js";
import type { Database } from "../postgres/database.js";
import type { Log } from "./log.js";

/** Scrapes within this time share one reading: several scrapers must not become a load on the database. */
const CACHE_MS = 5_000;

/** From what a prepared statement takes to the 10 s within which everything is answered. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What a part counts and measures. Each part has its own, so that several in one process, or several starts, never meet. */
export interface Metrics {
  /** A number that only grows; adds 1 unless told how much. */
  counter(name: string, help: string): (amount?: number) => void;
  /** The same, split by one property. Its values are known beforehand, so that their number is bounded and each starts at 0. */
  counterOf<Value extends string>(
    name: string,
    help: string,
    split: { by: string; values: readonly Value[] },
  ): (value: Value) => void;
  /**
   * Work that ends: how often, by name and result, and how long it took, by name. Both must come from the code, never from a client, so
   * that their number is bounded.
   */
  work(
    names: { total: string; seconds: string; by: string; result: string },
    help: { total: string; seconds: string },
  ): (ended: { name: string; result: string; ms: number }) => void;
  /** Numbers that one reading yields when they are asked for. If it fails they are left out, and everything else is shown. */
  gauges<Name extends string>(
    help: Readonly<Record<Name, string>>,
    read: () => Promise<Record<Name, number>> | Record<Name, number>,
  ): void;
  /** All of it in Prometheus' text format. */
  render(): Promise<string>;
}

/** Makes the metrics of one part. A reading is kept for `cacheMs` (5 s). */
export function createMetrics(options: { part: string; log: Log; cacheMs?: number }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ part: options.part });
  const registers = [registry];

  function counter(name: string, help: string): (amount?: number) => void {
    const made = new Counter({ name, help, registers });
    return (amount) => made.inc(amount);
  }

  function counterOf<Value extends string>(
    name: string,
    help: string,
    split: { by: string; values: readonly Value[] },
  ): (value: Value) => void {
    const made = new Counter({ name, help, registers, labelNames: [split.by] });
    for (const value of split.values) made.inc({ [split.by]: value }, 0);
    return (value) => made.inc({ [split.by]: value });
  }

  function work(
    names: { total: string; seconds: string; by: string; result: string },
    help: { total: string; seconds: string },
  ): (ended: { name: string; result: string; ms: number }) => void {
    const { by, result: end } = names;
    const total = new Counter({ name: names.total, help: help.total, registers, labelNames: [by, end] });
    const seconds = new Histogram({
      name: names.seconds,
      help: help.seconds,
      registers,
      labelNames: [by],
      buckets: SECONDS,
    });
    return ({ name, result, ms }) => {
      total.inc({ [by]: name, [end]: result });
      seconds.observe({ [by]: name }, ms / 1000);
    };
  }

  function gauges<Name extends string>(
    help: Readonly<Record<Name, string>>,
    read: () => Promise<Record<Name, number>> | Record<Name, number>,
  ): void {
    const reading = keptFor(options.cacheMs ?? CACHE_MS, async () => {
      try {
        return await read();
      } catch (err) {
        options.log.warn({ err, gauges: Object.keys(help) }, "not measured");
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

  return { counter, counterOf, work, gauges, render: () => registry.metrics() };
}

/** Measures whether the bus can be reached. */
export function measureBus(metrics: Metrics, bus: Pick<Bus, "connected">): void {
  const help = { bus_connected: "1 while the event bus can be reached, else 0." };
  metrics.gauges(help, () => ({ bus_connected: bus.connected() ? 1 : 0 }));
}

/** Measures this process's connections to its database. */
export function measurePool(metrics: Metrics, { pool, listPool }: Pick<Database, "pool" | "listPool">): void {
  const help = {
    database_pool_in_use: "Connections that a statement has at the moment.",
    database_pool_waiting: "Statements that wait for a connection; after a second they are refused.",
    database_pool_max: "Connections that the pool may have.",
    database_list_pool_in_use: "Connections that a list has at the moment.",
    database_list_pool_waiting: "Lists that wait for a connection; after four seconds they are refused.",
  };
  metrics.gauges(help, () => ({
    database_pool_in_use: pool.totalCount - pool.idleCount,
    database_pool_waiting: pool.waitingCount,
    database_pool_max: pool.options.max,
    database_list_pool_in_use: listPool.totalCount - listPool.idleCount,
    database_list_pool_waiting: listPool.waitingCount,
  }));
}

/** Measures how far the relay of an outbox is behind. Replicas show the same numbers: they share the outbox. */
export function measureOutbox(metrics: Metrics, outbox: Pick<Outbox, "lag">): void {
  const help = {
    outbox_unpublished_events: "Committed events that the bus has not confirmed, counted up to 10,000.",
    outbox_oldest_unpublished_seconds: "Age of the oldest of them; 0 if there is none.",
  };
  metrics.gauges(help, async () => {
    const { unpublished, oldestSeconds } = await outbox.lag();
    return { outbox_unpublished_events: unpublished, outbox_oldest_unpublished_seconds: oldestSeconds };
  });
}

function keptFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; reading: Promise<T> } | undefined;
  return () => {
    if (!kept || performance.now() - kept.at >= ms) kept = { at: performance.now(), reading: read() };
    return kept.reading;
  };
}
