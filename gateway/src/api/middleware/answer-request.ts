import { parseJsonBody } from "@shipping/api/input/json-body";
import { noQuery } from "@shipping/api/input/schemas";
import { validQuery } from "@shipping/api/input/validate";
import { describeBody, type Operation, readId } from "@shipping/api/operations/operation";
import { fail } from "@shipping/kit/errors";
import { RESERVE_MS } from "@shipping/kit/http/bulkhead";
import { getClientAddress } from "@shipping/kit/http/client-address";
import { sendAnswer } from "@shipping/kit/http/send-answer";
import { sendContent } from "@shipping/kit/http/send-content";
import { isId } from "@shipping/kit/ids";
import { callOptions } from "@shipping/kit/rpc/call-owner";
import { WEIGHTS } from "../../admission/work.js";
import type { ApiDeps } from "../deps.js";
import { type ReadRoute, type Route, rendered, type WriteRoute } from "../endpoint.js";
import { executeWrite } from "../execute-write.js";
import type { Middleware } from "../locals.js";

const BODY_BYTES_PER_WEIGHT = 8 * 1024;

/** The bytes of large bodies that an account may send per second while others wait: the parsed objects keep the garbage collector busy. */
const BODY_BYTES_PER_SECOND = 2 * 1024 * 1024;

// A read changes nothing, so an early 503 is better than a late answer.
const READ_MS = 5_000;

/** Waits in the account's queue until the bulkhead has capacity, then executes the operation and answers. */
export function answerRequest(deps: ApiDeps, route: Route): Middleware {
  const answer = route.method === "GET" ? answerRead(deps, route) : answerWrite(deps, route);
  const minWeight = getWeight(route);
  return async (req, res, next) => {
    const { admission, bytes, deadline } = res.locals;
    const { accountId } = admission.caller;
    const size = bytes?.length ?? 0;
    const release = await deps.bulkhead.acquire({
      accountId,
      weight: Math.max(minWeight, Math.ceil(size / BODY_BYTES_PER_WEIGHT)),
      minPauseMs: (1_000 * size) / BODY_BYTES_PER_SECOND,
      deadline: deadline - RESERVE_MS,
      onDisconnect: (disconnected) => void res.once("close", disconnected),
    });
    try {
      await answer(req, res, next);
    } finally {
      release(Number(res.getHeader("content-length") ?? 0));
    }
  };
}

/** The weight of an operation in the bulkhead, apart from its body. */
export function getWeight(route: Operation): number {
  if (route.answers === "application/pdf") return WEIGHTS.file;
  return route.method === "GET" && route.query ? WEIGHTS.list : WEIGHTS.one;
}

function answerRead(deps: ApiDeps, route: ReadRoute): Middleware {
  return async (req, res) => {
    const { admission, requestId, deadline } = res.locals;
    const query = validQuery(route.query ?? noQuery, req.url);
    const id = readId(route, req.params);
    if (route.id && !route.id.safeParse(id).success) throw fail("not_found", route.example.missing);
    const options = callOptions({ requestId, deadline: Math.min(deadline, performance.now() + READ_MS) });
    const { caller } = admission;
    const answer = await route.handler(deps, { caller, admission, id, query }, options);
    if ("headers" in answer) sendContent(req, res, answer);
    else sendAnswer(res, route.status, answer);
  };
}

function answerWrite(deps: ApiDeps, route: WriteRoute): Middleware {
  const expectedBody = describeBody(route);
  return async (req, res) => {
    const { admission, idempotencyKey = "", bytes, deadline, requestId } = res.locals;
    const body = bytes && parseJsonBody(bytes, expectedBody);
    res.locals.resourceId = findNamedId(body?.value);
    const snapshot = await executeWrite(deps, route, {
      caller: admission.caller,
      actor: { name: admission.keyId, source: getClientAddress(req, deps.trustedProxies) },
      idempotencyKey,
      id: readId(route, req.params),
      body,
      url: req.url,
      peeked: admission.registry,
      deadline,
      requestId,
    });
    if (snapshot.replayed) {
      res.locals.replayed = true;
      res.setHeader("Idempotency-Replayed", "true");
    }
    res.locals.resourceId = findResourceId(snapshot.body);
    sendAnswer(res, snapshot.status, rendered({ data: snapshot.body }));
  };
}

// Every rendered resource begins with its `id`. The ID of a rate contains the ID of its shipment; rates are a list.
const FIRST_BYTES = 60;
const ID = /^\[?\{"id":"(?:rate_test_)?(\w+)"/;

function findResourceId(body: Uint8Array): string | undefined {
  return ID.exec(Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, FIRST_BYTES)).toString("latin1"))?.[1];
}

/** The shipment or order that a body names. If the write is refused, the request log lists it with this resource. */
function findNamedId(body: unknown): string | undefined {
  const { shipment_id: shipmentId, order_id: orderId } = (body ?? {}) as Partial<Record<string, unknown>>;
  if (typeof shipmentId === "string") return isId("shp", shipmentId) ? shipmentId : undefined;
  return typeof orderId === "string" && isId("ord", orderId) ? orderId : undefined;
}
