import type { Key, KeyUsage } from "@shipping/proto/shipping/access/v1/access_pb";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";

/** A key, whether it expires soon, and its requests in the last minute, as the rate limit counts them. */
export type KeyInUse = Omit<Key, "$typeName"> & Pick<KeyUsage, "expiresSoon" | "requests">;

/** Reads the active keys of an environment, most recently used first, and how many requests each may make in a minute. */
export async function readKeyUsage(
  deps: PageDeps,
  request: PageRequest,
): Promise<{ keys: KeyInUse[]; requestsPerMinute: number }> {
  const { keys, requestsPerMinute } = await ask(request, deps.access.listKeyUsage, {});
  const used = keys.flatMap(({ key, expiresSoon, requests }) => (key ? [{ ...key, expiresSoon, requests }] : []));
  return { keys: used, requestsPerMinute };
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
