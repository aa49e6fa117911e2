import { type Batched, BatchQueue } from "./batch-queue.js";

export interface MicroBatch<Item, Result> extends Batched<Item, Result> {
  /**
   * The most statements that run at once; 2 unless given. The second starts when a quarter of `max` calls wait, or when one call has waited
   * for `patienceMs`.
   */
  concurrency?: number;
  /** A statement that takes longer than this may be hanging. The default is 50 ms. */
  patienceMs?: number;
  /**
   * The time for which a call may wait for its statement; 3 s unless given. Together with the pool's 1 s and a statement's 5 s, an answer
   * is still in time.
   */
  waitMs?: number;
}

const PATIENCE_MS = 50;
const WAIT_MS = 3_000;
const MAX = 64;

/**
 * Runs calls in micro-batches, one statement each. A single call starts at once. Calls that arrive while its statement is running share the
 * next one. A second statement starts only when many calls wait, or when the first takes long, so a statement that hangs delays only its
 * own calls. A call that waits too long fails with `service_unavailable`.
 */
export function microBatch<Item, Result>(options: MicroBatch<Item, Result>): (item: Item) => Promise<Result> {
  const { concurrency = 2, max = MAX, patienceMs = PATIENCE_MS, waitMs = WAIT_MS } = options;
  const queue = new BatchQueue({ ...options, max });
  const many = Math.ceil(max / 4);
  const isDue = () => queue.length >= (queue.running === 1 ? 1 : many);
  const check = () => {
    queue.refuseAfter(waitMs);
    if (queue.running < concurrency && queue.hasWaited(patienceMs)) void queue.runWhile(isDue);
  };
  return (item) => {
    const result = queue.add(item);
    const { running, length } = queue;
    if (running === 0 || (running < concurrency && length >= many)) void queue.runWhile(isDue);
    else queue.watch(Math.min(patienceMs, waitMs), check);
    return result;
  };
}

/** Creates the micro-batches of an operation, whose statement also gets the deps. Calls with the same deps share statements. */
export function microBatchOperation<Deps extends object, Item, Result>(
  options: Omit<MicroBatch<Item, Result>, "run"> & {
    run(deps: Deps, items: Item[]): ReturnType<MicroBatch<Item, Result>["run"]>;
  },
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
