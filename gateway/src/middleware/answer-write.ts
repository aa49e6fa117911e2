import { fail } from "@shipping/kit/errors";
import type { AppDeps } from "../deps.js";
import { executeOnce } from "../execute-once.js";
import { fingerprint } from "../fingerprint.js";
import type { Step } from "../locals.js";
import { nameEveryField } from "../name-every-field.js";
import { rendered, send } from "../respond.js";
import { idOf, pathWith, type WriteRoute } from "../route.js";
import { validBody } from "../validate.js";

/** Replay or conflict, then fields, claim and RPC: the order in which `executeOnce` asks for them. */
export function answerWrite(deps: AppDeps, route: WriteRoute): Step {
  return async (req, res) => {
    const { admission, idempotencyKey = "", body, deadline, requestId } = res.locals;
    const { caller } = admission;
    const id = idOf(route, req.params);
    const snapshot = await executeOnce(deps, {
      caller,
      idempotencyKey,
      fingerprint: fingerprint(route.method, pathWith(route, id), body),
      owner: route.owner,
      peeked: admission.registry,
      deadline,
      requestId,
      validate() {
        const input = validBody(route.body, body, req.url);
        if (route.id && !route.id.safeParse(id).success) throw fail("not_found");
        return input;
      },
      async send(input, claim, options) {
        const { outcome } = await route.handler(deps, { caller, claim, id, input }, options);
        if (!outcome) throw new Error("The owner answered a write without an outcome.");
        return outcome;
      },
    }).catch(async (error) => {
      throw await nameEveryField(deps, route, { caller, body, deadline, requestId }, error);
    });
    if (snapshot.replayed) {
      res.locals.replayed = true;
      res.setHeader("Idempotency-Replayed", "true");
    }
    send(res, snapshot.status, rendered(snapshot.body));
  };
}
