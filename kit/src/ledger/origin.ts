import { create } from "@bufbuild/protobuf";
import { type Origin, OriginSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Claim } from "../caller.js";

/**
 * Encodes who made a change in one column: the IDs of event and request, and who asked for it, separated by spaces. It is one column
 * because every creation pays for it.
 */
export function originText({ requestedBy = "", requestId = "" }: Claim, event: { id: string }): string {
  return `${event.id} ${requestId} ${requestedBy}`;
}

/** Decodes the column to a message. Its fields are empty if the column is null. */
export function originIn(text: string | null): Origin {
  if (text === null) return create(OriginSchema);
  const [eventId, requestId, ...requestedBy] = text.split(" ") as [string, string, ...string[]];
  return create(OriginSchema, { eventId, requestId, requestedBy: requestedBy.join(" ") });
}
