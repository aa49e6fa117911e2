import { create } from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import { fail } from "@shipping/kit/errors";
import { type Snapshot, SnapshotSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import { answered } from "../service-clients/call-owner.js";
import type { RegistryDeps, RegistryRequest } from "./registry.js";

/** The first answer to an equal request, as its owner's ledger holds it. Undefined if there is none; 409 if another request has the key. */
export async function readReplay(
  deps: Pick<RegistryDeps, "clients">,
  { caller, idempotencyKey, owner, fingerprint }: RegistryRequest,
  options: CallOptions,
): Promise<Snapshot | undefined> {
  const { result } = await answered(deps.clients.ledgers[owner].read({ caller, idempotencyKey }, options));
  if (!result?.snapshot) return undefined;
  if (!fingerprint.equals(result.fingerprint)) throw fail("idempotency_conflict");
  return replayOf(result.snapshot);
}

/** A snapshot as an equal request gets it. */
export function replayOf({ status, body }: Snapshot): Snapshot {
  return create(SnapshotSchema, { status, body, replayed: true });
}
