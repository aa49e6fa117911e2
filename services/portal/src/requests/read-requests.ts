import type { WantedRequests } from "@shipping/api/request-status";
import { isId } from "@shipping/kit/ids";
import type {
  FindRequestsResponse,
  GetRequestResponse,
  ListRequestsResponse,
  LoggedRequest,
} from "@shipping/proto/shipping/access/v1/access_pb";
import { ask, type PageDeps, type PageRequest, unlessNotFound } from "../page/page.js";

/** Reads one request; undefined if the log has none of the caller with this ID. */
export async function readRequest(
  deps: PageDeps,
  request: PageRequest,
  id: string,
): Promise<{ found: LoggedRequest; executedId: GetRequestResponse["executedId"] } | undefined> {
  if (!isId("req", id)) return undefined;
  const read = await unlessNotFound(ask(request, deps.access.getRequest, { id }));
  return read?.request && { found: read.request, executedId: read.executedId };
}

/** Reads a page of the log, newest first. */
export function listRequests(
  deps: PageDeps,
  request: PageRequest,
  { status, method, keyId, from, until, after }: WantedRequests,
  limit: number,
): Promise<ListRequestsResponse> {
  const times = { from: from?.toISOString(), until: until?.toISOString() };
  return ask(request, deps.access.listRequests, { limit, status, method, keyId, ...times, after });
}

/** Finds the requests that concern one of these resources; with `idempotencyKeys`, also those that have one of the texts as idempotency key. */
export function findRequests(
  deps: PageDeps,
  request: PageRequest,
  wanted: { texts: string[]; idempotencyKeys: boolean; after?: string | undefined },
  limit: number,
): Promise<FindRequestsResponse> {
  return ask(request, deps.access.findRequests, { limit, ...wanted });
}
