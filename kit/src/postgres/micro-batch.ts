import { setImmediate as turn } from "node:timers/promises";
import { fail } from "../errors.js";
import { tracedFor, traceparent } from "../process/tracing.js";
import { isRefusal } from "./database.js";

/** How calls are put into micro-batches. */
export interface MicroBatchOptions<Item, Result> {
  /** The most statements that run at once. The default is 2. The second begins when a quarter of `max` waits, or one call has waited for `patienceMs`. */
  concurrency?: number;
  /** A statement that takes longer than this may hang. The default is 50 ms. */
  patienceMs?: number;
  /** For a background batch: items wait that long for others, unless a quarter of `max` has come. Without it a batch starts at once. */
  lingerMs?: number;
  /** The most items in one statement. The default is 64. */
  max?: number;
  /** For how long a call may wait for its statement; 3 s unless given. With the pool's 1 s and a statement's 5 s an answer is still in time. */
  waitMs?: number;
  /** Items of one key never share a statement: the second waits for the next. */
  keyOf?(item: Item): string;
  /** Gets at least one item, and yields a result, or the promise of one, for each, in their order. */
  run(items: Item[]): Promise<readonly (Result | Promise<Result>)[]>;
}

/** The same for an operation, whose statement works with deps. */
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
const LINGER_MS = 25;
const BACKGROUND_MAX = 256;
/** How early a timer may fire. */
const TIMER_MS = 1;

/** Lets requests that have already arrived join the batch: the rest of this turn of the event loop reads them, and the next. */
async function readEverySocket(): Promise<void> {
  await turn();
  await turn();
}

/**
 * Runs calls in micro-batches, one statement each. A lone call starts at once; those that come while its statement is under way share
 * the next one. A second statement starts only when many calls wait, or when the first takes long, so that one that hangs delays only
 * its own calls. A statement that PostgreSQL refuses for its data is rolled back, and repeated item by item, so that only the bad one
 * fails. Any other error goes to every call of the statement, since the outcome is unknown. A call that waits too long fails with
 * `service_unavailable`, which is certain: it was never sent.
 */
export function microBatch<Item, Result>(options: MicroBatchOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { concurrency = 2, max = 64, waitMs = WAIT_MS, lingerMs, keyOf, run } = options;
  const patienceMs = lingerMs ?? options.patienceMs ?? PATIENCE_MS;
  const many = Math.ceil(max / 4);
  const enough = lingerMs === undefined ? 1 : many;
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
      await readEverySocket();
      const batch = nextBatch();
      if (batch.length > 0) await runBatch(batch);
    } while (isStatementDue(busy - 1));
    busy--;
  }

  // One timer for all waiting calls, kept while there are any.
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
 * Micro-batches of work that nobody waits for (marks): items linger for 25 ms, unless many have come, and never time out, however long
 * the database is away. One statement at a time, so that items end in the order in which they came.
 */
export function backgroundBatch<Item>(run: (items: Item[]) => Promise<unknown>): (item: Item) => Promise<void> {
  return microBatch<Item, void>({
    concurrency: 1,
    max: BACKGROUND_MAX,
    lingerMs: LINGER_MS,
    waitMs: Number.POSITIVE_INFINITY,
    run: async (items) => {
      await run(items);
      return [];
    },
  });
}

/** Micro-batches of an operation: its calls on the same deps share statements. */
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

/** A row that answers one item of a statement: `ordinal` is that item's number, as WITH ORDINALITY counts: from 1, in bigint. */
export interface WithOrdinal {
  ordinal: bigint;
}

/** Puts rows in the order of their `count` items, without the ordinal; undefined where an item has no row. */
export function byOrdinal<Row extends object>(
  rows: readonly (Row & WithOrdinal)[],
  count: number,
): (Row | undefined)[] {
  const ordered = new Array<Row | undefined>(count).fill(undefined);
  for (const { ordinal, ...row } of rows) ordered[Number(ordinal) - 1] = row as unknown as Row;
  return ordered;
}
