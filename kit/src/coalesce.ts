import { violated } from "./database.js";

/** How calls are joined. */
export interface CoalesceOptions<Item, Result> {
  /** Statements under way at once; 2 unless given. */
  lanes?: number;
  /** Items of one statement, at most; 64 unless given. */
  max?: number;
  /** Items of one key never share a statement: the second waits for the next. */
  keyOf?(item: Item): string;
  /** Takes at least one item and yields a result for each, in their order. */
  run(items: Item[]): Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Joins calls into statements for many: those that come while all lanes are busy share the next one, and a free lane takes a lone
 * call at once, so nobody waits for company. When a row breaks a constraint its whole statement is rolled back; it is then repeated
 * item by item, so that the bad one fails alone. Any other error is everyone's: its outcome is unknown for each.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { lanes = 2, max = 64, keyOf, run } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let busy = 0;

  function takeBatch(): Waiting<Item, Result>[] {
    if (!keyOf) return waiting.splice(0, max);
    const keys = new Set<string>();
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    for (const call of waiting) {
      const key = keyOf(call.item);
      if (taken.length === max || keys.has(key)) left.push(call);
      else taken.push(call);
      keys.add(key);
    }
    waiting = left;
    return taken;
  }

  async function runBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [at, call] of batch.entries()) call.resolve(results[at] as Result);
    } catch (error) {
      if (batch.length === 1 || !violated(error)) for (const call of batch) call.reject(error);
      else for (const call of batch) await runBatch([call]);
    }
  }

  async function openLane(): Promise<void> {
    busy++;
    while (waiting.length > 0) await runBatch(takeBatch());
    busy--;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (busy < lanes) void openLane();
    });
}
