import { create } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import { fail } from "@shipping/kit/errors";
import { answered } from "@shipping/kit/rpc/call-owner";
import { type Snapshot, SnapshotSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import { markDone } from "./mark-done.js";
import {
  deleteFencedClaim,
  deleteSoleClaim,
  endLease,
  type Owner,
  peekKey,
  type RegistryDeps,
  type RegistryKey,
  type RegistryRequest,
} from "./registry.js";

/** A claim and the service that received its write. */
export interface OwnedClaim extends RegistryKey {
  owner: Owner;
  token: bigint;
}

/**
 * Settles a claim whose outcome is unknown. The owner either reports the result, which is marked in the registry, or fences the token off, so that
 * the write can never commit. The owner waits for a running execution, so a running one is never mistaken for a dead one.
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

/** Reads the stored answer from the owner's ledger. Returns undefined if there is none; throws 409 if the key belongs to a different request. */
export async function readReplay(
  deps: Pick<RegistryDeps, "clients">,
  { caller, idempotencyKey, owner, fingerprint }: RegistryRequest,
  options: CallOptions,
): Promise<Snapshot | undefined> {
  const { result } = await answered(deps.clients.ledgers[owner].read({ caller, idempotencyKey }, options));
  if (!result?.snapshot) return undefined;
  if (!fingerprint.equals(result.fingerprint)) throw fail("idempotency_conflict");
  return toReplay(result.snapshot);
}

/** A copy of a snapshot that is marked as a replay. */
export function toReplay({ status, body }: Snapshot): Snapshot {
  return create(SnapshotSchema, { status, body, replayed: true });
}

/**
 * Releases a key after the owner has refused the write. Returns true if no write was or will be executed under this claim, so that the refusal is the
 * answer. Returns false if the claim has changed and the registry must be read again.
 */
export async function releaseClaim(
  deps: Pick<RegistryDeps, "db" | "clockOffsetMs" | "clients">,
  claim: OwnedClaim,
  options: () => CallOptions,
): Promise<boolean> {
  if (await deleteSoleClaim(deps, claim, claim.token)) return true;
  const row = await peekKey(deps, claim);
  if (row?.state !== "claimed" || row.token !== claim.token) return false;
  // Another attempt with the same token may still succeed. Fence it off before reporting the refusal.
  const outcome = await resolveOrEndLease(deps, claim, options);
  return outcome === "aborted" && (await deleteFencedClaim(deps, claim, claim.token));
}

async function resolveOrEndLease(...[deps, claim, options]: Parameters<typeof releaseClaim>) {
  try {
    return await resolveClaim(deps, claim, options());
  } catch (error) {
    await endLease(deps, claim, claim.token);
    throw error;
  }
}
