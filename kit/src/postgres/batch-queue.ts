import { setImmediate as turn } from "node:timers/promises";
import { fail } from "../errors.js";
import { tracedFor, traceparent } from "../process/tracing.js";
import { isRefusal } from "./outage.js";

/** A statement that many items share. */
export interface Batched<Item, Result> {
  /** The most items in one statement. */
  max?: number;
  /** Items with the same key never share a statement: the second waits for the next statement. */
  keyOf?(item: Item): string;
  /** Gets at least one item, and returns a result, or a promise of one, for each, in order. Without results, callers get undefined. */
  run(items: Item[]): Promise<readonly (Result | Promise<Result>)[] | undefined>;
}

interface Waiting<Item, Result> {
  item: Item;
  since: number;
  trace: string;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/** The time by which a timer may fire early. */
const TIMER_MS = 1;

/**
 * Items that wait for their statement, and the statements that run. `microBatch` decides when the next one starts for requests, and
 * `backgroundBatch` for work whose callers do not wait.
 */
export class BatchQueue<Item, Result> {
  /** The number of statements that run. */
  running = 0;
  private waiting: Waiting<Item, Result>[] = [];
  private watching = false;

  /** `keepsAlive` keeps the process from ending while items wait. */
  constructor(private readonly statement: Batched<Item, Result> & { max: number; keepsAlive?: true }) {}

  get length(): number {
    return this.waiting.length;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), trace: traceparent(), resolve, reject });
    });
  }

  /** Returns true if the first item has waited for this time. */
  hasWaited(ms: number): boolean {
    const [first] = this.waiting;
    return first !== undefined && performance.now() - first.since >= ms - TIMER_MS;
  }

  /** Refuses the items that have waited for this time, which is certain: they were never sent. */
  refuseAfter(ms: number): void {
    const oldest = performance.now() - ms;
    const late = this.waiting.filter(({ since }) => since <= oldest);
    if (late.length > 0) this.waiting = this.waiting.filter(({ since }) => since > oldest);
    for (const call of late) call.reject(fail("service_unavailable"));
  }

  /** Calls `check` at this interval while items wait. */
  watch(everyMs: number, check: () => void): void {
    if (this.watching || this.length === 0) return;
    this.watching = true;
    const timer = setTimeout(() => {
      this.watching = false;
      check();
      this.watch(everyMs, check);
    }, everyMs);
    if (!this.statement.keepsAlive) timer.unref();
  }

  /** Runs a statement, and one after the other while they are due. Other statements may run beside it, and take all items. */
  async runWhile(isDue: () => boolean): Promise<void> {
    this.running++;
    do {
      // Requests that have already arrived join the batch: they are read in the rest of this turn of the event loop and in the next turn.
      await turn();
      await turn();
      const batch = this.takeNext();
      if (batch.length > 0) await this.run(batch);
    } while (isDue());
    this.running--;
  }

  private takeNext(): Waiting<Item, Result>[] {
    const { max, keyOf } = this.statement;
    if (!keyOf) return this.waiting.splice(0, max);
    const keys = new Set<string>();
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    let at = 0;
    for (; at < this.waiting.length && taken.length < max; at++) {
      const call = this.waiting[at]!;
      const key = keyOf(call.item);
      (keys.has(key) ? left : taken).push(call);
      keys.add(key);
    }
    this.waiting = left.concat(this.waiting.slice(at));
    return taken;
  }

  /**
   * If PostgreSQL refuses a statement because of its data, it is rolled back and repeated item by item, so only the bad item fails. Any
   * other error goes to every item of the statement, because the outcome is unknown.
   */
  private async run(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const traces = batch.map(({ trace }) => trace);
      const results = await tracedFor(traces, () => this.statement.run(batch.map(({ item }) => item)));
      for (const [at, call] of batch.entries()) call.resolve(results?.[at] as Result);
    } catch (error) {
      if (batch.length === 1 || !isRefusal(error)) for (const call of batch) call.reject(error);
      else for (const call of batch) await this.run([call]);
    }
  }
}
