import { type Batched, BatchQueue } from "./batch-queue.js";

export interface BackgroundBatch<Item, Result> extends Omit<Batched<Item, Result>, "keyOf"> {
  /** The most statements that run at once; 1 unless given, so that items finish in the order in which they arrived. */
  concurrency?: number;
  /** The time for which items wait for others. The default is 25 ms. */
  lingerMs?: number;
  /** The number of items that do not wait for others; a quarter of `max` unless given. */
  enough?: number;
}

const LINGER_MS = 25;
const MAX = 256;

/**
 * Runs background work, such as marks, in few statements: its callers do not wait, so items wait for others, unless enough have arrived.
 * They never time out, however long the database is away.
 */
export function backgroundBatch<Item, Result = void>(
  options: BackgroundBatch<Item, Result>,
): (item: Item) => Promise<Result> {
  const { concurrency = 1, max = MAX, lingerMs = LINGER_MS, enough = Math.ceil(max / 4), run } = options;
  const queue = new BatchQueue<Item, Result>({ max, run, keepsAlive: true });
  const isDue = () => queue.running === 1 && queue.length >= enough;
  const check = () => {
    if (queue.running < concurrency && queue.hasWaited(lingerMs)) void queue.runWhile(isDue);
  };
  return (item) => {
    const result = queue.add(item);
    if (queue.running === 0 && queue.length >= enough) void queue.runWhile(isDue);
    else queue.watch(lingerMs, check);
    return result;
  };
}
