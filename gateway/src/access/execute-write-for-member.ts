import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { parseJsonBody } from "@shipping/api/input/json-body";
import { describeBody } from "@shipping/api/operations/operation";
import type { Actor } from "@shipping/kit/caller";
import { requireCaller } from "@shipping/kit/caller";
import { type FieldError, fail, failFields } from "@shipping/kit/errors";
import { MAX_BODY_BYTES } from "@shipping/kit/http/read-body";
import { ANSWER_MS } from "@shipping/kit/http/request-locals";
import { callContext } from "@shipping/kit/rpc/server";
import {
  type ExecuteWriteRequest,
  type ExecuteWriteResponse,
  ExecuteWriteResponseSchema,
} from "@shipping/proto/shipping/access/v1/access_pb";
import type { ApiDeps } from "../api/deps.js";
import type { WriteRoute } from "../api/endpoint.js";
import { executeWrite } from "../api/execute-write.js";
import { routes } from "../api/handlers/routes.js";

/** The keys of forms. The portal cannot repeat a request that an API key has made, and so cannot read the secret in its stored answer. */
const FORM_KEY = /^developer-area:[\x20-\x7e]{1,113}$/;
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
  if (!FORM_KEY.test(idempotencyKey))
    faults.push({
      path: "idempotency_key",
      message: 'must be "developer-area:" and 1 to 113 printable ASCII characters',
    });
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
