import type { Caller } from "@shipping/kit/caller";
import { failFields, failureIn } from "@shipping/kit/errors";
import { callOptions, type Due } from "./call-owner.js";
import type { AppDeps } from "./deps.js";
import type { JsonBody } from "./json-body.js";
import type { WriteRoute } from "./route.js";
import { checkBody } from "./validate.js";

/** A write that was refused. */
interface Refused extends Due {
  caller: Caller;
  body: JsonBody | undefined;
  url: string;
}

/** The same refusal, a 422 with the faults added that only the owner sees. An owner that is away does not turn it into an outage. */
export async function nameEveryField(deps: AppDeps, route: WriteRoute, request: Refused, error: unknown) {
  if (!route.check || failureIn(error)?.code !== "invalid_request") return error;
  const { caller, body, url } = request;
  const { faults, sound } = checkBody(route.body, body, url);
  // Its owner has refused it then, and has named all that it sees.
  if (faults.length === 0) return error;
  try {
    const more = await route.check(deps, { caller, sound }, callOptions(request));
    return more.length > 0 ? failFields([...faults, ...more.map(({ path, message }) => ({ path, message }))]) : error;
  } catch (err) {
    deps.log.warn({ err, request_id: request.requestId, owner: route.owner }, "fields were not checked by their owner");
    return error;
  }
}
