import type { CallOptions } from "@connectrpc/connect";
import { deleteFencedClaim, deleteSoleClaim, endLease, peekKey, type RegistryDeps } from "./registry.js";
import { type OwnedClaim, resolveClaim } from "./resolve-claim.js";

/**
 * Releases a key after a certain refusal. True: nothing was or will be executed under this claim, so the refusal may be
 * reported. False: the claim is no longer this request's to judge; the registry must be read again.
 */
export async function releaseClaim(
  deps: Pick<RegistryDeps, "db" | "clockOffsetMs" | "clients">,
  claim: OwnedClaim,
  options: () => CallOptions,
): Promise<boolean> {
  if (await deleteSoleClaim(deps, claim, claim.token)) return true;
  const row = await peekKey(deps, claim);
  if (row?.state !== "claimed" || row.token !== claim.token) return false;
  // Another attempt under the same token may still succeed: it is fenced off before a failure is reported.
  const outcome = await resolveOrLetGo(deps, claim, options);
  return outcome === "aborted" && (await deleteFencedClaim(deps, claim, claim.token));
}

async function resolveOrLetGo(...[deps, claim, options]: Parameters<typeof releaseClaim>) {
  try {
    return await resolveClaim(deps, claim, options());
  } catch (error) {
    await endLease(deps, claim, claim.token);
    throw error;
  }
}
