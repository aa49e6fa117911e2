import { setImmediate as turn } from "node:timers/promises";
import { fail } from "../errors.js";
import { tracedFor, traceparent } from "../process/tracing.js";
import { isRefusal } from "./database.js";

/** How calls are joined. */
export interface CoalesceOptions<Item, Result> {
  /** Statements under way at once, at most; 2 unless given. The second begins when a quarter of `max` waits, or somebody for `patienceMs`. */
  lanes?: number;
  /** A statement that takes longer than this may hang; 50 ms unless given. */
  patienceMs?: number;
  /** For what nobody waits for: a few items wait that long for company, a quarter of `max` at most. None waits unless given. */
  gatherMs?: number;
  /** Items of one statement, at most; 64 unless given. */
  max?: number;
  /** For how long a call may wait for a lane; 3 s unless given. With the pool's 1 s and a statement's 5 s an answer is still in time. */
  waitMs?: number;
  /** Items of one key never share a statement: the second waits for the next. */
  keyOf?(item: Item): string;
  /** Takes at least one item and yields a result, or the promise of one, for each, in their order. */
  run(items: Item[]): Promise<readonly (Result | Promise<Result>)[]>;
}

/** The same for an operation, whose statement works with deps. */
export interface OperationOptions<Deps, Item, Result> extends Omit<CoalesceOptions<Item, Result>, "run"> {
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
const GATHER_MS = 25;
const GATHERED = 256;
/** By so much a timer may be early. */
const TIMER_MS = 1;

/** What has arrived is looked at first, so that whoever comes of it comes along: in the rest of this turn of the event loop, and the next. */
async function everySocketIsRead(): Promise<void> {
  await turn();
  await turn();
}

/**
 * Joins calls into statements for many: a lone call is taken at once, with those that have arrived as well, and those that come while
 * its statement is under way share the next one. A second lane opens only for a crowd, so that statements are few, or when a statement
 * takes long, so that one that hangs holds up nobody but its own. A statement that PostgreSQL refuses for its data is rolled back; it
 * is then repeated item by item, so that the bad one fails alone. Any other error is everyone's: its outcome is unknown for each. A
 * call that waits too long fails with `service_unavailable`, which is certain, since it was never sent.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { lanes = 2, max = 64, waitMs = WAIT_MS, gatherMs, keyOf, run } = options;
  const patienceMs = gatherMs ?? options.patienceMs ?? PATIENCE_MS;
  const crowd = Math.ceil(max / 4);
  const few = gatherMs === undefined ? 1 : crowd;
  let waiting: Waiting<Item, Result>[] = [];
  let watching = false;
  let busy = 0;

  function takeBatch(): Waiting<Item, Result>[] {
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

  function isWorthALane(others: number): boolean {
    return waiting.length >= (others === 0 ? few : crowd);
  }

  async function openLane(): Promise<void> {
    busy++;
    do {
      await everySocketIsRead();
      const batch = takeBatch();
      if (batch.length > 0) await runBatch(batch);
    } while (isWorthALane(busy - 1));
    busy--;
  }

  // One timer for all who wait, kept while anybody does.
  function watchQueue(): void {
    watching = waiting.length > 0;
    const timer = watching && setTimeout(lookAtQueue, Math.min(patienceMs, waitMs));
    if (timer && gatherMs === undefined) timer.unref();
  }

  function lookAtQueue(): void {
    giveUp();
    const [first] = waiting;
    if (first && busy < lanes && performance.now() - first.since >= patienceMs - TIMER_MS) void openLane();
    watchQueue();
  }

  function giveUp(): void {
    const oldest = performance.now() - waitMs;
    const late = waiting.filter(({ since }) => since <= oldest);
    if (late.length > 0) waiting = waiting.filter(({ since }) => since > oldest);
    for (const call of late) call.reject(fail("service_unavailable"));
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, since: performance.now(), trace: traceparent(), resolve, reject });
      if (busy < lanes && isWorthALane(busy)) void openLane();
      else if (!watching) watchQueue();
    });
}

/**
 * Joins what nobody waits for (marks): those of 25 ms share a statement, a crowd does not wait, and each gets its turn however long the
 * database is away. One statement at a time, so that items end in the order in which they came.
 */
export function coalesceUnhurried<Item>(run: (items: Item[]) => Promise<unknown>): (item: Item) => Promise<void> {
  return coalesce<Item, void>({
    lanes: 1,
    max: GATHERED,
    gatherMs: GATHER_MS,
    waitMs: Number.POSITIVE_INFINITY,
    run: async (items) => {
      await run(items);
      return [];
    },
  });
}

/** Joins the calls of an operation: those that are made on the same deps. */
export function coalesceOperation<Deps extends object, Item, Result>(
  options: OperationOptions<Deps, Item, Result>,
): (deps: Deps, item: Item) => Promise<Result> {
  const joined = new WeakMap<Deps, (item: Item) => Promise<Result>>();
  return (deps, item) => {
    let call = joined.get(deps);
    if (!call) {
      call = coalesce({ ...options, run: (items) => options.run(deps, items) });
      joined.set(deps, call);
    }
    return call(item);
  };
}

/** A row that answers one item of a statement: `place` is the item's among them, as WITH ORDINALITY counts: from 1, in bigint. */
export interface Placed {
  place: bigint;
}

/** The row of each of `count` items without its place, undefined where there is none. */
export function inPlaces<Row extends object>(rows: readonly (Row & Placed)[], count: number): (Row | undefined)[] {
  const placed = new Array<Row | undefined>(count).fill(undefined);
  for (const { place, ...row } of rows) placed[Number(place) - 1] = row as unknown as Row;
  return placed;
}
