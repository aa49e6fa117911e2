import { sendAnswer } from "../../http/send.js";
import { sourceOf } from "../../http/source.js";
import { parseJsonBody } from "../../input/json-body.js";
import type { ApiDeps } from "../deps.js";
import { idOf, type WriteRoute } from "../endpoint.js";
import { executeWrite } from "../execute-write.js";
import type { Step } from "../locals.js";
import { rendered } from "../respond.js";

/** The body, replay or conflict, then fields, claim and RPC. */
export function answerWrite(deps: ApiDeps, route: WriteRoute): Step {
  return async (req, res) => {
    const { admission, idempotencyKey = "", bytes, deadline, requestId } = res.locals;
    const snapshot = await executeWrite(deps, route, {
      caller: admission.caller,
      actor: { name: admission.keyId, source: sourceOf(req, deps.trustedProxies) },
      idempotencyKey,
      id: idOf(route, req.params),
      body: bytes && parseJsonBody(bytes),
      url: req.url,
      peeked: admission.registry,
      deadline,
      requestId,
    });
    if (snapshot.replayed) {
      res.locals.replayed = true;
      res.setHeader("Idempotency-Replayed", "true");
    }
    res.locals.resourceId = resourceIn(snapshot.body);
    sendAnswer(res, snapshot.status, rendered(snapshot.body));
  };
}

// Resources begin with their id. A rate has the id of its shipment in its own, and its list begins with a bracket.
const FIRST_BYTES = 60;
const ID = /^\[?\{"id":"(?:rate_test_)?(\w+)"/;

/** The id of the resource that an owner rendered. */
function resourceIn(body: Uint8Array): string | undefined {
  return ID.exec(Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, FIRST_BYTES)).toString("latin1"))?.[1];
}
