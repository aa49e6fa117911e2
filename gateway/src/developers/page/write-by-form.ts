import { jsonBody } from "@shipping/api/input/json-body";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import type { WriteRoute } from "../../api/endpoint.js";
import { executeWrite } from "../../api/execute-write.js";
import { routes } from "../../api/handlers/routes.js";
import { type PageDeps, type PageRequest, toCaller } from "./page.js";

/** A write of the API, made by a form. */
interface FormWrite {
  /** The row of the table of endpoints: "POST /labels/{id}/void". */
  row: string;
  id?: string;
  /** The ID of the rendered form. The idempotency key is made from it. */
  formId: string;
  /** For forms that make several writes: tells their idempotency keys apart. */
  step?: string;
  /** Undefined if the endpoint has no body. */
  body: unknown;
}

/** Executes a write as its endpoint does, with the same validation and events, at most once per form. */
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
    caller: toCaller(request),
    actor,
    idempotencyKey: ["developer-area", formId, step].filter(Boolean).join(":"),
    id,
    body: body === undefined ? undefined : jsonBody(body),
    url: "",
    peeked: undefined,
  });
}
