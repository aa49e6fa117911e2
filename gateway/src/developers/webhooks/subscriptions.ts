import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Subscription } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { WriteRoute } from "../../api/endpoint.js";
import { routes } from "../../api/endpoints/endpoints.js";
import { executeWrite } from "../../api/execute-write.js";
import { jsonBody } from "../../input/json-body.js";
import { answered, callOptions } from "../../owners/call-owner.js";
import type { PageDeps, PageRequest } from "../page/page.js";
import { cursorOf, PAGE_SIZE } from "../page/paging.js";

/** A page of an environment's subscriptions, by the same RPC as `GET /webhooks`. */
export async function listSubscriptions(deps: PageDeps, request: PageRequest) {
  const after = cursorOf(request.query, "whk");
  const page = { caller: callerOf(request), limit: PAGE_SIZE, ...(after && { after }) };
  return answered(deps.clients.webhooks.listSubscriptions(page, callOptions(request)));
}

/** One of them; a foreign one is missing. */
export async function getSubscription(deps: PageDeps, request: PageRequest): Promise<Subscription> {
  if (!isId("whk", request.id)) throw fail("not_found");
  const wanted = { caller: callerOf(request), id: request.id };
  const { subscription } = await answered(deps.clients.webhooks.getSubscription(wanted, callOptions(request)));
  if (!subscription) throw new Error("The owner answered no subscription.");
  return subscription;
}

/** `POST /webhooks` by form: the form's id is the idempotency key. Undefined: this form has done so before. */
export async function createSubscription(
  deps: PageDeps,
  request: PageRequest,
  { formId, ...body }: { formId: string; url: string; events: readonly string[] },
): Promise<{ id: string; secret: string } | undefined> {
  const snapshot = await write(deps, request, { row: "POST /webhooks", id: "", formId, body });
  if (snapshot.replayed) return undefined;
  return JSON.parse(Buffer.from(snapshot.body).toString()) as { id: string; secret: string };
}

/** `DELETE /webhooks/{id}` by form. */
export async function disableSubscription(deps: PageDeps, request: PageRequest, formId: string): Promise<void> {
  const { id } = await getSubscription(deps, request);
  await write(deps, request, { row: "DELETE /webhooks/{id}", id, formId, body: undefined });
}

function write(
  deps: PageDeps,
  request: PageRequest,
  { row, id, formId, body }: { row: string; id: string; formId: string; body: unknown },
): Promise<Snapshot> {
  const route = routes.find(({ method, path }) => `${method} ${path}` === row) as WriteRoute;
  const { requestId, deadline } = request;
  const idempotencyKey = `developer-area:${formId}`;
  const due = { requestId, deadline };
  return executeWrite(deps, route, {
    ...due,
    caller: callerOf(request),
    actor: request.actor,
    idempotencyKey,
    id,
    body: body === undefined ? undefined : jsonBody(body),
    url: "",
    peeked: undefined,
  });
}

const callerOf = ({ session, environment }: PageRequest) => ({ accountId: session.accountId, environment });
