import type { WantedRequests } from "@shipping/api/request-status";
import { failureIn } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { answered, callOptions } from "@shipping/kit/rpc/call-owner";
import type {
  FindRequestsResponse,
  GetRequestResponse,
  ListRequestsResponse,
  LoggedRequest,
} from "@shipping/proto/shipping/access/v1/access_pb";
import { type PageDeps, type PageRequest, toCaller } from "../page/page.js";

/** Reads one request; undefined if the log has none of the caller with this ID. */
export async function readRequest(
  deps: PageDeps,
  request: PageRequest,
  id: string,
): Promise<{ found: LoggedRequest; executedId: GetRequestResponse["executedId"] } | undefined> {
  if (!isId("req", id)) return undefined;
  try {
    const read = await answered(deps.access.getRequest({ caller: toCaller(request), id }, callOptions(request)));
    return read.request && { found: read.request, executedId: read.executedId };
  } catch (error) {
    if (failureIn(error)?.code === "not_found") return undefined;
    throw error;
  }
}

/** Reads a page of the log, newest first. */
export function listRequests(
  deps: PageDeps,
  request: PageRequest,
  { status, method, keyId, from, until, after }: WantedRequests,
  limit: number,
): Promise<ListRequestsResponse> {
  const asked = {
    ...{ caller: toCaller(request), limit },
    ...(status !== undefined && { status }),
    ...(method !== undefined && { method }),
    ...(keyId !== undefined && { keyId }),
    ...(from && { from: from.toISOString() }),
    ...(until && { until: until.toISOString() }),
    ...(after !== undefined && { after }),
  };
  return answered(deps.access.listRequests(asked, callOptions(request)));
}

/** Finds the requests that concern one of these resources; with `idempotencyKeys`, also those that have one of the texts as idempotency key. */
export function findRequests(
  deps: PageDeps,
  request: PageRequest,
  wanted: { texts: string[]; idempotencyKeys: boolean; after?: string | undefined },
  limit: number,
): Promise<FindRequestsResponse> {
  const { after, ...sought } = wanted;
  const asked = { caller: toCaller(request), limit, ...sought, ...(after !== undefined && { after }) };
  return answered(deps.access.findRequests(asked, callOptions(request)));
}
