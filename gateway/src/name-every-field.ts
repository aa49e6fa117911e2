import type { Caller } from "@shipping/kit/caller";
import { failFields, failureIn } from "@shipping/kit/errors";
import { callOptions, type Due } from "./call-owner.js";
import type { AppDeps } from "./deps.js";
import type { WriteRoute } from "./route.js";

/** A write whose body was refused. */
interface Refused extends Due {
  caller: Caller;
  body: unknown;
}

/** The same refusal, a 422 with the faults added that only the owner sees. An owner that is away does not turn it into an outage. */
export async function nameEveryField(deps: AppDeps, route: WriteRoute, request: Refused, error: unknown) {
  const fields = failureIn(error)?.fields ?? [];
  if (!route.check || fields.length === 0) return error;
  const { caller, body } = request;
  const sound = soundFields(
    body,
    fields.map(({ path }) => path),
  );
  try {
    const more = await route.check(deps, { caller, sound }, callOptions(request));
    return more.length > 0 ? failFields([...fields, ...more.map(({ path, message }) => ({ path, message }))]) : error;
  } catch (err) {
    deps.log.warn({ err, request_id: request.requestId, owner: route.owner }, "fields were not checked by their owner");
    return error;
  }
}

function soundFields(body: unknown, faulty: readonly string[]): Record<string, unknown> {
  if (faulty.includes("body")) return {};
  const names = new Set(faulty.map((path) => path.split(".", 1)[0]));
  return Object.fromEntries(Object.entries(body ?? {}).filter(([name]) => !names.has(name)));
}
