import type { JsonBody } from "@shipping/api/input/json-body";
import { type Checked, checkBody, requireValid, validMembers } from "@shipping/api/input/validate";
import { pathWith } from "@shipping/api/operations/operation";
import type { Actor } from "@shipping/kit/caller";
import { fail, failFields, failureIn } from "@shipping/kit/errors";
import { type CallContext, callOptions, inTime } from "@shipping/kit/rpc/call-owner";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import { changeableAccount } from "../accounts/manage-accounts.js";
import { insertWrite } from "../accounts/record-change.js";
import { insertOpenVoid, type OpenVoid, openVoid, settleVoid } from "../accounts/settle-changes.js";
import { executeOnce } from "../idempotency/execute-once.js";
import { fingerprint, type RegistryKey, type RegistryRow } from "../idempotency/registry.js";
import { readExecuted } from "../request-log/read-request.js";
import type { ApiDeps } from "./deps.js";
import type { WriteRoute } from "./endpoint.js";

export interface WriteRequest extends RegistryKey, CallContext {
  /** The sender of the request: a member's email, or the ID of an API key. */
  actor: Actor;
  /** Whether the sender is a member, whose account must be allowed to change, and whose voids have lines in the audit log. */
  byMember?: true;
  /** The ID in the path; empty if the path has none. */
  id: string;
  body: JsonBody | undefined;
  /** The URL of the request. A write with a query is refused. */
  url: string;
  peeked: RegistryRow | undefined;
}

/** A fingerprint that no executed request has. */
const EQUALS_NONE = Buffer.alloc(32);

/** Executes a route of the table at most once. `executeOnce` decides the order: replay or conflict, then validation, claim and RPC. */
export async function executeWrite(deps: ApiDeps, route: WriteRoute, request: WriteRequest): Promise<Snapshot> {
  const { caller, actor, id, body, url, requestId } = request;
  const opened = request.byMember && route.isLogged ? openVoid(deps, { caller, actor, labelId: id }) : undefined;
  let checked: Checked | undefined;
  function validate(): unknown {
    checked ??= checkBody(route.body, body, url);
    const input = requireValid(checked);
    if (route.id && !route.id.safeParse(id).success) throw fail("not_found", route.example.missing);
    return input;
  }
  try {
    const snapshot = await executeOnce(deps, {
      ...request,
      owner: route.owner,
      member: request.byMember && {
        account: changeableAccount(caller.accountId),
        recorded: opened
          ? insertOpenVoid(deps, opened)
          : insertWrite(deps, { caller, actor, write: `${route.method} ${pathWith(route, id)}` }),
      },
      validate,
      toFingerprint() {
        // Two integers that are the same double would have the same fingerprint. Bodies with such numbers are never executed.
        if (body && body.lost.places.length > 0) return EQUALS_NONE;
        return fingerprint(route.method, pathWith(route, id), body?.value);
      },
      async send(claim, options) {
        const input = validate();
        const signed = { ...claim, requestedBy: actor.name, requestId };
        const { outcome } = await route.handler(deps, { caller, claim: signed, actor, id, input }, options);
        if (!outcome) throw new Error("The owner answered a write without an outcome.");
        return outcome;
      },
    });
    if (opened) await settleNow(deps, request, opened);
    return snapshot;
  } catch (error) {
    if (failureIn(error)?.code === "idempotency_conflict") throw await nameFirstRequest(deps, request, error);
    throw await mergeFieldErrors(deps, route, { ...request, checked }, error);
  }
}

/** Settles the line of a void before its answer, so that the member sees it at once. If that fails, the loop settles it later. */
async function settleNow(deps: ApiDeps, request: WriteRequest, opened: OpenVoid): Promise<void> {
  await inTime(settleVoid(deps, opened), request).catch((err) => {
    deps.log.warn({ err, request_id: request.requestId }, "a void is not yet in the audit log");
  });
}

/** Adds to a 409 which request used the key first. Without a row in the log, or if that cannot be read, the 409 stays as it is. */
async function nameFirstRequest(deps: ApiDeps, request: WriteRequest, error: unknown): Promise<unknown> {
  const first = await inTime(readExecuted(deps, request.caller, request.idempotencyKey), request).catch(
    () => undefined,
  );
  if (!first) return error;
  const { method, path, at, requestId } = first;
  return fail(
    "idempotency_conflict",
    `This Idempotency-Key was first used for ${method} ${path} at ${at.toISOString()} (request ${requestId}), with a different method, path or body. Send a new key, or the first request unchanged.`,
  );
}

type Refused = Pick<WriteRequest, "caller" | "body" | "deadline" | "requestId"> & {
  /** The result of the schema; undefined if the body was not checked. */
  checked: Checked | undefined;
};

/**
 * Adds to a 422 the invalid fields that only the owner can find, so that one response lists all of them. If the owner cannot be asked, the 422 stays
 * as it is. Other errors are returned unchanged.
 */
export async function mergeFieldErrors(deps: ApiDeps, route: WriteRoute, request: Refused, error: unknown) {
  const { caller, body, checked } = request;
  // If the schema found no fault, the 422 is from the owner and already complete.
  if (!route.check || !checked?.faults.length || failureIn(error)?.code !== "invalid_request") return error;
  const { faults, more } = checked;
  const valid = validMembers(body?.value, checked);
  try {
    const found = await route.check(deps, { caller, valid }, callOptions(request));
    const fields = [...faults, ...found.map(({ path, message }) => ({ path, message }))];
    return found.length > 0 ? failFields(fields, "body", more) : error;
  } catch (err) {
    deps.log.warn({ err, request_id: request.requestId, owner: route.owner }, "fields were not checked by their owner");
    return error;
  }
}
