import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import type { WriteRoute } from "../../api/endpoint.js";
import { routes } from "../../api/endpoints/endpoints.js";
import { executeWrite } from "../../api/execute-write.js";
import { jsonBody } from "../../input/json-body.js";
import { callerOfPage, type PageDeps, type PageRequest } from "./page.js";

/** A write of the API, by a form: `row` is that of the table of endpoints, `id` is for rows whose path has one. */
interface FormWrite {
  row: string;
  id?: string;
  /** Names the form as it was shown; it is the idempotency key. */
  formId: string;
  /** A form that makes several writes names each, so that sent again it makes each once. */
  step?: string;
  /** Undefined where the endpoint takes none. */
  body: unknown;
}

/** Executes a write of the API as its endpoint would: by the same rules, at most once for each form, with the same events. */
export function writeByForm(
  deps: PageDeps,
  request: PageRequest,
  { row, id = "", formId, step, body }: FormWrite,
): Promise<Snapshot> {
  const route = routes.find(({ method, path }) => `${method} ${path}` === row) as WriteRoute;
  const { requestId, deadline, actor } = request;
  return executeWrite(deps, route, {
    requestId,
    deadline,
    caller: callerOfPage(request),
    actor,
    idempotencyKey: ["developer-area", formId, step].filter(Boolean).join(":"),
    id,
    body: body === undefined ? undefined : jsonBody(body),
    url: "",
    peeked: undefined,
  });
}
