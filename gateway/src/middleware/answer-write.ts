import type { AppDeps } from "../deps.js";
import { executeWrite } from "../execute-write.js";
import { parseJsonBody } from "../json-body.js";
import type { Step } from "../locals.js";
import { rendered, send } from "../respond.js";
import { idOf, type WriteRoute } from "../route.js";
import { sourceOf } from "../source.js";

/** The body, replay or conflict, then fields, claim and RPC. */
export function answerWrite(deps: AppDeps, route: WriteRoute): Step {
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
    send(res, snapshot.status, rendered(snapshot.body));
  };
}
