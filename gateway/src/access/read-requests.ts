import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import {
  type CountKeyRequestsRequest,
  CountKeyRequestsResponseSchema,
  type CountRequestsRequest,
  CountRequestsResponseSchema,
  type FindRequestsRequest,
  FindRequestsResponseSchema,
  type GetRequestRequest,
  GetRequestResponseSchema,
  type ListRequestsRequest,
  ListRequestsResponseSchema,
  type ListSlowestWritesRequest,
  ListSlowestWritesResponseSchema,
  type LoggedRequestSchema,
} from "@shipping/proto/shipping/access/v1/access_pb";
import { countRequests as count, countKeyRequests as countOfKey } from "../request-log/count-requests.js";
import {
  findRequests as find,
  listRequests as list,
  listSlowestWrites as listSlowest,
  type RequestPage,
} from "../request-log/list-requests.js";
import type { LoggedRequest } from "../request-log/logged-request.js";
import { readExecuted, readRequest } from "../request-log/read-request.js";
import type { AccessDeps } from "./deps.js";
import { bounded, requestsToFind, requestsToList, writesToCompare } from "./input.js";
import { getKey } from "./read-keys.js";

/** Reads a page of the request log, newest first. */
export async function listRequests(deps: AccessDeps, request: ListRequestsRequest) {
  const caller = requireCaller(request);
  const { limit, ...wanted } = bounded(requestsToList, request);
  const page = await list(deps, caller, wanted, limit);
  return create(ListRequestsResponseSchema, {
    ...toPage(page),
    ...(page.lookedBackTo && { lookedBackTo: page.lookedBackTo.toISOString() }),
    days: deps.requestLogDays,
  });
}

/** Finds requests by resource, or by idempotency key too. */
export async function findRequests(deps: AccessDeps, request: FindRequestsRequest) {
  const caller = requireCaller(request);
  const { limit, after, ...wanted } = bounded(requestsToFind, request);
  const page = await find(deps, caller, wanted, { after, size: limit });
  return create(FindRequestsResponseSchema, { ...toPage(page), days: deps.requestLogDays });
}

/** Reads one request; for a replayed one, also the ID of the one that was executed. */
export async function getRequest(deps: AccessDeps, request: GetRequestRequest) {
  const caller = requireCaller(request);
  const found = await readRequest(deps, caller, request.id);
  if (!found) throw fail("not_found", "No such request.");
  const { replayed, idempotencyKey } = found;
  const executed = replayed && idempotencyKey !== null ? await readExecuted(deps, caller, idempotencyKey) : undefined;
  return create(GetRequestResponseSchema, {
    request: toMessage(found),
    ...(executed && { executedId: executed.requestId }),
  });
}

/** Counts the requests of the last 24 hours. */
export async function countRequests(deps: AccessDeps, request: CountRequestsRequest) {
  const { hours, refusals } = await count(deps, requireCaller(request));
  return create(CountRequestsResponseSchema, {
    hours: hours.map(({ hour, ...counts }) => ({ hour: hour.toISOString(), ...counts })),
    refusals,
  });
}

/** Counts the logged requests of one key. */
export async function countKeyRequests(deps: AccessDeps, request: CountKeyRequestsRequest) {
  const caller = requireCaller(request);
  const { key } = await getKey(deps, request);
  const { countedSince, ...counts } = await countOfKey(deps, caller, key!.id);
  return create(CountKeyRequestsResponseSchema, {
    ...counts,
    ...(countedSince && { countedSince: countedSince.toISOString() }),
    days: deps.requestLogDays,
  });
}

/** Reads the slowest writes of the last 24 hours. */
export async function listSlowestWrites(deps: AccessDeps, request: ListSlowestWritesRequest) {
  const caller = requireCaller(request);
  const { limit } = bounded(writesToCompare, request);
  return create(ListSlowestWritesResponseSchema, { requests: (await listSlowest(deps, caller, limit)).map(toMessage) });
}

function toPage({ rows, nextCursor }: RequestPage) {
  return { requests: rows.map(toMessage), ...(nextCursor !== undefined && { nextCursor }) };
}

/** Converts a row to its message. */
export function toMessage(row: LoggedRequest): MessageInitShape<typeof LoggedRequestSchema> {
  const { keyId, keyName, keyLastFour, status, code, idempotencyKey, resourceId } = row;
  const { method, path, fields, ms, replayed, source, userAgent, more } = row;
  return {
    ...{ id: row.requestId, at: row.at.toISOString(), method, path, fields, ms, replayed, source, userAgent, more },
    ...(keyId !== null && { keyId }),
    ...(keyName !== null && { keyName }),
    ...(keyLastFour !== null && { keyLastFour }),
    ...(status !== null && { status }),
    ...(code !== null && { code }),
    ...(idempotencyKey !== null && { idempotencyKey }),
    ...(resourceId !== null && { resourceId }),
  };
}
