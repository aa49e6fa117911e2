import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { type RevokeKeyRequest, RevokeKeyResponseSchema } from "@shipping/proto/shipping/access/v1/access_pb";
import { changeableAccount, requireChangeable } from "../accounts/manage-accounts.js";
import { getKey, storeRevocation } from "../accounts/manage-keys.js";
import type { GatewayDeps } from "../database/deps.js";
import { bounded, changeToSign } from "./input.js";
import { requireKeyId } from "./read-keys.js";

type Deps = Pick<GatewayDeps, "db" | "prisma" | "now" | "random" | "clockOffsetMs">;

/** Revokes a key, effective from its next request. Revoking it again changes nothing, and returns the first time. */
export async function revokeKey(deps: Deps, request: RevokeKeyRequest) {
  const caller = requireCaller(request);
  const { actor } = bounded(changeToSign, request);
  const ref = { ...caller, id: requireKeyId(request.id) };
  const account = changeableAccount(caller.accountId);
  let revokedAt = await storeRevocation(deps, await getKey(deps, ref), actor, account);
  if (!revokedAt) {
    await requireChangeable(deps, caller.accountId);
    // Another revocation came first.
    revokedAt = await storeRevocation(deps, await getKey(deps, ref), actor, account);
  }
  return create(RevokeKeyResponseSchema, revokedAt && { revokedAt: revokedAt.toISOString() });
}
