import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { parseJsonBody } from "@shipping/api/input/json-body";
import { describeBody } from "@shipping/api/operations/operation";
import type { Actor } from "@shipping/kit/caller";
import { type Caller, requireCaller } from "@shipping/kit/caller";
import { type FieldError, fail, failFields } from "@shipping/kit/errors";
import { MAX_BODY_BYTES } from "@shipping/kit/http/read-body";
import { ANSWER_MS } from "@shipping/kit/http/request-locals";
import { callContext } from "@shipping/kit/rpc/server";
import {
  type ExecuteWriteRequest,
  type ExecuteWriteResponse,
  ExecuteWriteResponseSchema,
} from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import type { ApiDeps } from "../api/deps.js";
import type { WriteRoute } from "../api/endpoint.js";
import { executeWrite } from "../api/execute-write.js";
import { routes } from "../api/handlers/routes.js";

const PRINTABLE = /^[\x20-\x7e]{1,128}$/;
/** The longest ID has about 60 characters. */
const MAX_ID = 100;
/** The longest email address has 254 characters. */
const MAX_ACTOR = 320;

/** Executes a write as the API does, in the name of a member, at most once for each idempotency key. */
export async function executeWriteForMember(
  deps: ApiDeps,
  request: ExecuteWriteRequest,
  context: HandlerContext,
): Promise<ExecuteWriteResponse> {
  const caller = requireCaller(request);
  const { bytes, ...wanted } = checkRequest(request);
  const route = findWrite(request.operation);
  const { requestId, timeLeftMs } = callContext(context);
  const deadline = performance.now() + Math.min(ANSWER_MS, timeLeftMs());
  await requireOpenAccount(deps, caller);
  if (route.needsCarrier && caller.environment === "live") throw fail("carrier_not_configured");
  const body = bytes && parseJsonBody(bytes, describeBody(route));
  const snapshot = await executeWrite(deps, route, {
    ...wanted,
    byMember: true,
    caller,
    body,
    requestId,
    deadline,
    url: "",
    peeked: undefined,
  });
  return create(ExecuteWriteResponseSchema, { snapshot });
}

/** Checks the bounds of a request. Only a faulty portal exceeds them. */
function checkRequest({ id, body, idempotencyKey, actor: author }: ExecuteWriteRequest) {
  const { name = "", source = "" } = author ?? {};
  if (body.length > MAX_BODY_BYTES) throw fail("payload_too_large");
  const faults: FieldError[] = [];
  if (name === "" || name.length > MAX_ACTOR || source.length > MAX_ACTOR)
    faults.push({ path: "actor", message: `must have a name, and at most ${MAX_ACTOR} characters in each field` });
  if (id.length > MAX_ID) faults.push({ path: "id", message: `must have at most ${MAX_ID} characters` });
  if (!PRINTABLE.test(idempotencyKey))
    faults.push({ path: "idempotency_key", message: "must have 1 to 128 printable ASCII characters" });
  if (faults.length > 0) throw failFields(faults);
  const actor: Actor = { name, source };
  return { id, idempotencyKey, actor, bytes: body.length > 0 ? Buffer.from(body) : undefined };
}

function findWrite(operation: string): WriteRoute {
  const route = routes.find(({ operationId }) => operationId === operation);
  if (!route || route.method === "GET")
    throw failFields([{ path: "operation", message: "must be the operationId of a write, such as voidLabel" }]);
  return route;
}

/** Refuses the writes of an account that is suspended or being erased, since the portal may not know it yet. */
async function requireOpenAccount({ db }: Pick<ApiDeps, "db">, { accountId }: Caller): Promise<void> {
  const open = await db.run(
    sql`SELECT FROM accounts WHERE id = ${accountId} AND suspended_at IS NULL AND erasing_since IS NULL`,
  );
  if (open.length === 0) throw fail("not_found", "This account does not exist, is suspended, or is being erased.");
}
