import { invalidArgument, type Settings } from "./config.js";
import { newError } from "./error-kinds.js";
import type { Operation, ReadOptions } from "./operation.js";
import type { Page } from "./read-answer.js";
import { type Answered, send } from "./send.js";

/** An operation in progress: a promise of its data. */
export interface Call<T> extends Promise<T> {
  /** The data together with the status, the request ID, and whether the response is a replay. */
  withResponse(): Promise<Answered<T>>;
}

export interface ListOptions extends ReadOptions {
  /** Maximum number of records on a page, from 1 to 100. The default is 25. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  after?: string | undefined;
}

/** A list. Read all records with `for await`, or read page by page. Records are sorted by ID, not by time. */
export interface List<T> extends AsyncIterable<T> {
  /** One page. Options given here override those of the list. */
  page(options?: ListOptions): Call<Page<T>>;
  /** The first `max` records. Further records are not requested. */
  toArray(options: { max: number }): Promise<T[]>;
}

const MAX_PAGE = 100;

export function call<T>(settings: Settings, operation: Operation): Call<T> {
  const answered = send<T>(settings, operation);
  const data = answered.then((answer) => answer.data);
  const withResponse = () => {
    // The caller handles the rejection of `answered`. Without this handler, `data` would cause an unhandled rejection.
    data.catch(() => undefined);
    return answered;
  };
  return Object.assign(data, { withResponse });
}

/** The list at a path. No request is sent before you iterate. */
export function list<T>(settings: Settings, path: string, given: ListOptions = {}): List<T> {
  const page = (options: ListOptions = {}): Call<Page<T>> => {
    const { limit, after, ...rest } = { ...given, ...onlyDefined(options) };
    return call(settings, { method: "GET", path: [path], query: { limit, after }, answers: "page", options: rest });
  };
  return {
    page,
    toArray: (options) => takeFirst(page, given, options),
    [Symbol.asyncIterator]: () => iterate(page, given.after),
  };
}

async function takeFirst<T>(page: List<T>["page"], given: ListOptions, options: { max: number }): Promise<T[]> {
  const max = options?.max;
  // Without a bound, a list that has grown could fill the memory.
  if (!Number.isSafeInteger(max) || max < 1) throw invalidArgument("toArray needs max, an integer of 1 or more.");
  const limit = given.limit ?? Math.min(max, MAX_PAGE);
  const records: T[] = [];
  for await (const record of iterate((options) => page({ limit, ...options }), given.after)) {
    records.push(record);
    if (records.length === max) break;
  }
  return records;
}

/** Options that are undefined do not override those of the list. */
function onlyDefined(options: ListOptions): ListOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

async function* iterate<T>(
  page: (options: ListOptions) => Call<Page<T>>,
  first: string | undefined,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set(first === undefined ? [] : [first]);
  for (let after = first; ; ) {
    const { data, next_cursor } = await page({ after });
    yield* data;
    if (next_cursor === null) return;
    // Without this check, the iteration would never end.
    if (seen.has(next_cursor))
      throw newError("unexpected_answer", `The list repeats itself: next_cursor ${next_cursor} was returned before.`);
    seen.add(next_cursor);
    after = next_cursor;
  }
}
