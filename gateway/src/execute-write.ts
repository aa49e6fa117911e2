import { fail } from "@shipping/kit/errors";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Due } from "./call-owner.js";
import type { AppDeps } from "./deps.js";
import { executeOnce } from "./execute-once.js";
import { fingerprint } from "./fingerprint.js";
import { nameEveryField } from "./name-every-field.js";
import type { RegistryKey, RegistryRow } from "./registry.js";
import { pathWith, type WriteRoute } from "./route.js";
import { validBody } from "./validate.js";

/** A write as it was asked for, whether by an API key or in the developer area. */
export interface WriteRequest extends RegistryKey, Due {
  /** Empty where the path has none. */
  id: string;
  body: unknown;
  /** May have a query, which no write takes. */
  url: string;
  /** What the registry held under the key, as far as it is known. */
  peeked: RegistryRow | undefined;
}

/** Executes a row of the table of routes once: replay or conflict, then fields, claim and RPC, the order in which `executeOnce` asks for them. */
export function executeWrite(deps: AppDeps, route: WriteRoute, request: WriteRequest): Promise<Snapshot> {
  const { caller, id, body, url } = request;
  return executeOnce(deps, {
    ...request,
    fingerprint: fingerprint(route.method, pathWith(route, id), body),
    owner: route.owner,
    validate() {
      const input = validBody(route.body, body, url);
      if (route.id && !route.id.safeParse(id).success) throw fail("not_found");
      return input;
    },
    async send(input, claim, options) {
      const { outcome } = await route.handler(deps, { caller, claim, id, input }, options);
      if (!outcome) throw new Error("The owner answered a write without an outcome.");
      return outcome;
    },
  }).catch(async (error) => {
    throw await nameEveryField(deps, route, request, error);
  });
}
