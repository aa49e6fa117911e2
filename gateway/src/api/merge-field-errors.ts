import type { Caller } from "@shipping/kit/caller";
import { failFields, failureIn } from "@shipping/kit/errors";
import type { JsonBody } from "../input/json-body.js";
import { type Checked, soundMembers } from "../input/validate.js";
import { callOptions, type Due } from "../service-clients/call-owner.js";
import type { ApiDeps } from "./deps.js";
import type { WriteRoute } from "./endpoint.js";

/** A write that was refused. */
interface Refused extends Due {
  caller: Caller;
  body: JsonBody | undefined;
  /** The faults found in it; undefined if it was not checked. */
  checked: Checked | undefined;
}

/** The same refusal; to a 422 it adds the faults that only the owner sees. An unavailable owner does not turn it into an outage. */
export async function mergeFieldErrors(deps: ApiDeps, route: WriteRoute, request: Refused, error: unknown) {
  const { caller, body, checked } = request;
  // If the schema found no fault, the owner has refused it, and has named all faults that it sees.
  if (!route.check || !checked?.faults.length || failureIn(error)?.code !== "invalid_request") return error;
  const { faults, more } = checked;
  const sound = soundMembers(body?.value, checked);
  try {
    const seen = await route.check(deps, { caller, sound }, callOptions(request));
    const fields = [...faults, ...seen.map(({ path, message }) => ({ path, message }))];
    return seen.length > 0 ? failFields(fields, "body", more) : error;
  } catch (err) {
    deps.log.warn({ err, request_id: request.requestId, owner: route.owner }, "fields were not checked by their owner");
    return error;
  }
}
