import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import {
  CountWaitingChangesResponseSchema,
  type GetClaimRequest,
  GetClaimResponseSchema,
  type GetRequestRequest,
  GetRequestResponseSchema,
  type ListRequestsRequest,
  ListRequestsResponseSchema,
  type LoggedRequestSchema,
} from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import sql from "sql-template-tag";
import { bounded } from "../access/input.js";
import { toMessage } from "../access/read-requests.js";
import { readWaitingChanges } from "../accounts/keep-changes.js";
import type { GatewayDeps } from "../database/deps.js";
import { listRequests as list } from "../request-log/list-requests.js";
import type { LoggedRequest } from "../request-log/logged-request.js";
import { readAnyRequest } from "../request-log/read-request.js";
import { claimToRead, named, requestsToList } from "./input.js";

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs"> & { requestLogDays: number };

/** Reads a page of an account's request log, newest first. */
export async function listRequests(deps: Deps, request: ListRequestsRequest) {
  const { limit, ...wanted } = bounded(requestsToList, request);
  const { rows, nextCursor } = await list(deps, requireCaller(request), wanted, limit);
  return create(ListRequestsResponseSchema, {
    requests: rows.map(toLogged),
    ...(nextCursor !== undefined && { nextCursor }),
  });
}

/** Reads a request of any account, or of none. */
export async function getRequest(deps: Deps, request: GetRequestRequest) {
  const { id } = bounded(named, request);
  const found = await readAnyRequest(deps, id);
  if (found) return create(GetRequestResponseSchema, { request: toLogged(found) });
  const why = `The log keeps writes and failed requests for ${deps.requestLogDays} days. Successful reads, and most of a series of similar failures, are only counted. To see what it has, run request list.`;
  throw fail("not_found", `No such request: ${id}. ${why}`);
}

function toLogged(row: LoggedRequest): MessageInitShape<typeof LoggedRequestSchema> {
  const { accountId, environment, cause } = row;
  return {
    request: toMessage(row),
    ...(accountId !== null && { accountId }),
    ...(environment !== null && { environment }),
    ...(cause !== null && { cause }),
  };
}

interface Claim {
  owner: string;
  state: string;
  token: bigint;
  attempts: number;
  leaseUntil: Date | null;
}

/** Reads the claim of an idempotency key. */
export async function getClaim({ db }: Pick<Deps, "db">, request: GetClaimRequest) {
  const { accountId, environment } = requireCaller(request);
  const { idempotencyKey } = bounded(claimToRead, request);
  const [found] = await db.runList<Claim>(sql`
    SELECT owner, state, token, attempts, lease_until AS "leaseUntil" FROM idempotency_registry
    WHERE account_id = ${accountId} AND environment = ${environment} AND idempotency_key = ${idempotencyKey}`);
  if (!found)
    throw fail(
      "not_found",
      `No request of ${accountId} in ${environment} holds this key. A refused request keeps no claim: request list shows it.`,
    );
  const { leaseUntil, ...claim } = found;
  return create(GetClaimResponseSchema, { ...claim, ...(leaseUntil && { leaseUntil: leaseUntil.toISOString() }) });
}

/** Counts the changes that the portal has not stored. */
export async function countWaitingChanges(deps: Pick<Deps, "db" | "clockOffsetMs">) {
  return create(CountWaitingChangesResponseSchema, await readWaitingChanges(deps));
}
