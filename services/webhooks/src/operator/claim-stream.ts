import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import { ClaimStreamResponseSchema } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { GetStreamResponseSchema } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { Inbox } from "../stream/inbox.js";

/** The inbox of this process, and how many events of other installations it has refused. */
export interface StreamDeps {
  inbox: Pick<Inbox, "state" | "claim">;
  foreignEvents(): number;
}

/** Returns the owner of the event stream, as far as this process has seen it. */
export function getStream({ inbox, foreignEvents }: StreamDeps) {
  const { stream, whose, ownerId, reason } = inbox.state();
  const known = { ...(ownerId !== undefined && { ownerId }), ...(reason !== undefined && { reason }) };
  return create(GetStreamResponseSchema, { stream, whose, ...known, foreignEvents: BigInt(foreignEvents()) });
}

/** Makes this installation the owner of the event stream. */
export async function claimStream({ inbox }: StreamDeps) {
  try {
    await inbox.claim();
  } catch (error) {
    throw fail("service_unavailable", `The event stream was not claimed: ${(error as Error).message}`);
  }
  return create(ClaimStreamResponseSchema, { stream: inbox.state().stream });
}
