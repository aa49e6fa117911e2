import type { CallOptions } from "@connectrpc/connect";
import { answered } from "../service-clients/call-owner.js";
import { markDone } from "./mark-done.js";
import type { Owner, RegistryDeps, RegistryKey } from "./registry.js";

/** A claim, and the service it was sent to. */
export interface OwnedClaim extends RegistryKey {
  owner: Owner;
  token: bigint;
}

/**
 * Asks the owner to settle a claim whose outcome is unknown: either it has a result, and the registry records that, or it
 * is fenced off and never will have one. Waits for a running execution, so "still running" and "dead" are never guessed.
 */
export async function resolveClaim(
  deps: Pick<RegistryDeps, "db" | "clients">,
  { caller, idempotencyKey, owner, token }: OwnedClaim,
  options: CallOptions,
): Promise<"committed" | "aborted"> {
  const call = deps.clients.ledgers[owner].resolve({ caller, idempotencyKey, token }, options);
  const { committed } = await answered(call);
  if (!committed) return "aborted";
  await markDone(deps, [{ caller, idempotencyKey, token, fingerprint: committed.fingerprint }]);
  return "committed";
}
