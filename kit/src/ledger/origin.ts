import { create } from "@bufbuild/protobuf";
import { type Origin, OriginSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Claim } from "../caller.js";

/**
 * Who made a change, as one column keeps it: the ids of event and request, and who asked for it, with spaces between. One column, since
 * every creation pays for it.
 */
export function originText({ requestedBy = "", requestId = "" }: Claim, event: { id: string }): string {
  return `${event.id} ${requestId} ${requestedBy}`;
}

/** The same as a message; its fields are empty where a row of before has none. */
export function originIn(text: string | null): Origin {
  const [eventId = "", requestId = "", ...requestedBy] = (text ?? "").split(" ");
  return create(OriginSchema, { eventId, requestId, requestedBy: requestedBy.join(" ") });
}
