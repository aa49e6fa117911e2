import { type ErrorCode, errors } from "@shipping/proto/errors";
import { type ShownKey, toShownKey } from "../keys/read-keys.js";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";

export interface KeyInUse extends ShownKey {
  expiresSoon: boolean;
  /** Requests in the last minute, as the rate limit counts them. */
  requests: number;
}

/** Reads the active keys of an environment, most recently used first, and how many requests each may make in a minute. */
export async function readKeyUsage(
  deps: PageDeps,
  request: PageRequest,
): Promise<{ keys: KeyInUse[]; requestsPerMinute: number }> {
  const { keys, requestsPerMinute } = await ask(request, deps.access.listKeyUsage, {});
  const used = keys.flatMap(({ key, expiresSoon, requests }) =>
    key ? [{ ...toShownKey(key), expiresSoon, requests }] : [],
  );
  return { keys: used, requestsPerMinute };
}

/** The requests of an hour, by what the chart shows. */
export interface HourOfRequests {
  hour: Date;
  successful: number;
  refused: number;
  failed: number;
}

/** How often an error was answered. */
export interface Refusals {
  code: string;
  status: number | undefined;
  count: number;
}

/** Counts the requests of the last 24 hours: by hour, oldest first; and errors by code, most frequent first. */
export async function countRequests(
  deps: PageDeps,
  request: PageRequest,
): Promise<{ hours: HourOfRequests[]; refusals: Refusals[] }> {
  const { hours, refusals } = await ask(request, deps.access.countRequests, {});
  return {
    hours: hours.map(({ hour, reads, writes, replays, refused, failed }) => ({
      ...{ hour: new Date(hour), successful: reads + writes + replays, refused, failed },
    })),
    refusals: refusals.map(({ code, count }) => ({ code, count, status: statusOf(code) })),
  };
}

function statusOf(code: string): number | undefined {
  return Object.hasOwn(errors, code) ? errors[code as ErrorCode].status : undefined;
}

/** Numbers of created labels, including voided ones. A number above `MAX_LABELS` means "more than that". */
export interface LabelCounts {
  lastDay: number;
  lastMonth: number;
  /** True if a label was ever created. */
  any: boolean;
}

export const MAX_LABELS = 10_000;

const DAY_MS = 86_400_000;

export async function countLabels(deps: PageDeps, request: PageRequest): Promise<LabelCounts> {
  const since = (days: number) => new Date(deps.now().getTime() - days * DAY_MS).toISOString();
  const wanted = [
    { createdFrom: since(1), atMost: MAX_LABELS + 1 },
    { createdFrom: since(30), atMost: MAX_LABELS + 1 },
    { createdFrom: new Date(0).toISOString(), atMost: 1 },
  ];
  const { counts } = await ask(request, deps.clients.carrier.countLabels, { wanted });
  const [lastDay = 0, lastMonth = 0, ever = 0] = counts;
  return { lastDay, lastMonth, any: ever > 0 };
}
