import { fail, failFields, failureIn } from "@shipping/kit/errors";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Actor } from "../accounts/audit.js";
import { executeOnce } from "../idempotency/execute-once.js";
import { fingerprint } from "../idempotency/fingerprint.js";
import type { RegistryKey, RegistryRow } from "../idempotency/registry.js";
import type { JsonBody } from "../input/json-body.js";
import { type Checked, checkBody, requireValid, soundMembers } from "../input/validate.js";
import { callOptions, type Due } from "../service-clients/call-owner.js";
import type { ApiDeps } from "./deps.js";
import { pathWith, type WriteRoute } from "./endpoint.js";

/** A write as it was requested, by an API key or in the developer area. */
export interface WriteRequest extends RegistryKey, Due {
  /** Who sends the request: a member's email, or the ID of an API key. */
  actor: Actor;
  /** Empty where the path has none. */
  id: string;
  body: JsonBody | undefined;
  /** May have a query, which no write takes. */
  url: string;
  /** The key's row in the registry, if it was read. */
  peeked: RegistryRow | undefined;
}

/** The fingerprint of a request that no executed one can equal. */
const EQUALS_NONE = Buffer.alloc(32);

/** Executes a row of the table of routes once: replay or conflict, then fields, claim and RPC, the order in which `executeOnce` asks for them. */
export async function executeWrite(deps: ApiDeps, route: WriteRoute, request: WriteRequest): Promise<Snapshot> {
  const { caller, actor, id, body, url, requestId } = request;
  let checked: Checked | undefined;
  function validate(): unknown {
    checked ??= checkBody(route.body, body, url);
    const input = requireValid(checked);
    if (route.id && !route.id.safeParse(id).success) throw fail("not_found");
    return input;
  }
  try {
    return await executeOnce(deps, {
      ...request,
      get fingerprint() {
        // Two bodies that differ only in a number which is lost would have the same. None with such a number is ever executed.
        if (body && body.lost.places.length > 0) return EQUALS_NONE;
        return fingerprint(route.method, pathWith(route, id), body?.value);
      },
      owner: route.owner,
      validate,
      async send(input, claim, options) {
        const told = { ...claim, requestedBy: actor.name, requestId };
        const { outcome } = await route.handler(deps, { caller, claim: told, actor, id, input }, options);
        if (route.owner === "webhooks") deps.wakeAudit();
        if (!outcome) throw new Error("The owner answered a write without an outcome.");
        return outcome;
      },
    });
  } catch (error) {
    throw await mergeFieldErrors(deps, route, { ...request, checked }, error);
  }
}

/** A write that was refused. */
type Refused = Pick<WriteRequest, "caller" | "body" | "deadline" | "requestId"> & {
  /** The result of the schema; undefined if the body was not checked. */
  checked: Checked | undefined;
};

/**
 * Adds to a 422 the invalid fields that only the owner can find, so that one answer names all. If the owner cannot be asked, the 422 stays as
 * it is. Other errors are returned unchanged.
 */
export async function mergeFieldErrors(deps: ApiDeps, route: WriteRoute, request: Refused, error: unknown) {
  const { caller, body, checked } = request;
  // If the schema found nothing, the 422 is the owner's and complete.
  if (!route.check || !checked?.faults.length || failureIn(error)?.code !== "invalid_request") return error;
  const { faults, more } = checked;
  const sound = soundMembers(body?.value, checked);
  try {
    const found = await route.check(deps, { caller, sound }, callOptions(request));
    const fields = [...faults, ...found.map(({ path, message }) => ({ path, message }))];
    return found.length > 0 ? failFields(fields, "body", more) : error;
  } catch (err) {
    deps.log.warn({ err, request_id: request.requestId, owner: route.owner }, "fields were not checked by their owner");
    return error;
  }
}
