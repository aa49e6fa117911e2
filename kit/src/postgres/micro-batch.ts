import { setImmediate as turn } from "node:timers/promises";
import { fail } from "../errors.js";
import { tracedFor, traceparent } from "../process/tracing.js";
import { isRefusal } from "./database.js";

export interface MicroBatchOptions<Item, Result> {
  /**
   * The most statements that run at once; 2 unless given. The second starts when a quarter of `max` calls wait, or when one call has waited
   * for `patienceMs`.
   */
  concurrency?: number;
  /** A statement that takes longer than this may be hanging. The default is 50 ms. */
  patienceMs?: number;
  /** The time for which items of a background batch wait for others, unless `enough` have arrived. Without it, a batch starts at once. */
  lingerMs?: number;
  /** The number of items that starts a batch; a quarter of `max` unless given. */
  enough?: number;
  /** The most items in one statement. The default is 64. */
  max?: number;
  /**
   * The time for which a call may wait for its statement; 3 s unless given. Together with the pool's 1 s and a statement's 5 s, an answer
   * is still in time.
   */
  waitMs?: number;
  /** Items with the same key never share a statement: the second waits for the next statement. */
  keyOf?(item: Item): string;
  /** Gets at least one item, and returns a result, or a promise of one, for each, in order. */
  run(items: Item[]): Promise<readonly (Result | Promise<Result>)[]>;
}

/** The settings for an operation, whose statement also gets the deps. */
export interface OperationOptions<Deps, Item, Result> extends Omit<MicroBatchOptions<Item, Result>, "run"> {
  run(deps: Deps, items: Item[]): Promise<readonly (Result | Promise<Result>)[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  since: number;
  trace: string;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

const WAIT_MS = 3_000;
const PATIENCE_MS = 50;
/** The time for which background work waits for more of its kind. */
export const LINGER_MS = 25;
const BACKGROUND_MAX = 256;
/** The time by which a timer may fire early. */
const TIMER_MS = 1;

/**
 * Runs calls in micro-batches, one statement each. A single call starts at once. Calls that arrive while its statement is running share the
 * next one. A second statement starts only when many calls wait, or when the first takes long, so a statement that hangs delays only its
 * own calls. If PostgreSQL refuses a statement because of its data, it is rolled back and repeated item by item, so only the bad item
 * fails. Any other error goes to every call of the statement, because the outcome is unknown. A call that waits too long fails with
 * `service_unavailable`, which is certain: it was never sent.
 */
export function microBatch<Item, Result>(options: MicroBatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { concurrency = 2, max = 64, waitMs = WAIT_MS, lingerMs, keyOf, run } = options;
  const patienceMs = lingerMs ?? options.patienceMs ?? PATIENCE_MS;
  const many = Math.ceil(max / 4);
  const enough = lingerMs === undefined ? 1 : (options.enough ?? many);
  let waiting: Waiting<Item, Result>[] = [];
  let watching = false;
  let busy = 0;

  function nextBatch(): Waiting<Item, Result>[] {
    if (!keyOf) return waiting.splice(0, max);
    const keys = new Set<string>();
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    let at = 0;
    for (; at < waiting.length && taken.length < max; at++) {
      const call = waiting[at]!;
      const key = keyOf(call.item);
      (keys.has(key) ? left : taken).push(call);
      keys.add(key);
    }
    waiting = left.concat(waiting.slice(at));
    return taken;
  }

  async function runBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const traces = batch.map(({ trace }) => trace);
      const results = await tracedFor(traces, () => run(batch.map(({ item }) => item)));
      for (const [at, call] of batch.entries()) call.resolve(results[at] as Result);
    } catch (error) {
      if (batch.length === 1 || !isRefusal(error)) for (const call of batch) call.reject(error);
      else for (const call of batch) await runBatch([call]);
    }
  }

  function isStatementDue(others: number): boolean {
    return waiting.length >= (others === 0 ? enough : many);
  }

  async function runStatements(): Promise<void> {
    busy++;
    do {
      // Requests that have already arrived join the batch: they are read in the rest of this turn of the event loop and in the next turn.
      await turn();
      await turn();
      const batch = nextBatch();
      if (batch.length > 0) await runBatch(batch);
    } while (isStatementDue(busy - 1));
    busy--;
  }

  // One timer serves all waiting calls. It runs while any are waiting.
  function watchQueue(): void {
    watching = waiting.length > 0;
    const timer = watching && setTimeout(checkQueue, Math.min(patienceMs, waitMs));
    if (timer && lingerMs === undefined) timer.unref();
  }

  function checkQueue(): void {
    refuseLate();
    const [first] = waiting;
    if (first && busy < concurrency && performance.now() - first.since >= patienceMs - TIMER_MS) void runStatements();
    watchQueue();
  }

  function refuseLate(): void {
    const oldest = performance.now() - waitMs;
    const late = waiting.filter(({ since }) => since <= oldest);
    if (late.length > 0) waiting = waiting.filter(({ since }) => since > oldest);
    for (const call of late) call.reject(fail("service_unavailable"));
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, since: performance.now(), trace: traceparent(), resolve, reject });
      if (busy < concurrency && isStatementDue(busy)) void runStatements();
      else if (!watching) watchQueue();
    });
}

/**
 * Creates micro-batches for background work, such as marks, whose callers do not wait: items wait 25 ms for others, unless many have
 * arrived, and never time out, however long the database is away. One statement runs at a time, so items finish in the order in which they
 * arrived.
 */
export function backgroundBatch<Item>(
  run: (items: Item[]) => Promise<unknown>,
  lingerMs = LINGER_MS,
): (item: Item) => Promise<void> {
  return microBatch<Item, void>({
    concurrency: 1,
    max: BACKGROUND_MAX,
    lingerMs,
    waitMs: Number.POSITIVE_INFINITY,
    run: async (items) => {
      await run(items);
      return [];
    },
  });
}

/** Creates the micro-batches of an operation: its calls with the same deps share statements. */
export function microBatchOperation<Deps extends object, Item, Result>(
  options: OperationOptions<Deps, Item, Result>,
): (deps: Deps, item: Item) => Promise<Result> {
  const callOf = new WeakMap<Deps, (item: Item) => Promise<Result>>();
  return (deps, item) => {
    let call = callOf.get(deps);
    if (!call) {
      call = microBatch({ ...options, run: (items) => options.run(deps, items) });
      callOf.set(deps, call);
    }
    return call(item);
  };
}

/** A row that answers one item of a statement. `ordinal` is the item's number as WITH ORDINALITY counts: from 1, in bigint. */
export interface WithOrdinal {
  ordinal: bigint;
}

/** Puts rows in the order of their `count` items and drops the ordinals; undefined where an item has no row. */
export function byOrdinal<Row extends object>(
  rows: readonly (Row & WithOrdinal)[],
  count: number,
): (Row | undefined)[] {
  const ordered = new Array<Row | undefined>(count).fill(undefined);
  for (const { ordinal, ...row } of rows) ordered[Number(ordinal) - 1] = row as unknown as Row;
  return ordered;
}
