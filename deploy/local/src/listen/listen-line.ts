import type { Delivery } from "./receiver.js";

/** A delivery as a line for a person: when it came, of which event, what happened to which resource, and whether its signature is good. */
export function lineOf(delivery: Delivery): string {
  const time = delivery.at.toISOString().slice(11);
  if ("refusal" in delivery) {
    // This id is not verified, so it is shown only if it has the form of an id.
    const id = /^evt_[a-z2-7]{26}$/.test(delivery.claimedId) ? delivery.claimedId : "an unknown event";
    return `${time}  ${id.padEnd(30)}  REFUSED with 400: ${delivery.refusal}`;
  }
  const { id, type, data } = delivery.event;
  const known = delivery.again ? ", received before" : "";
  return `${time}  ${id}  ${type.padEnd(16)}  ${data.id}  ${data.status.padEnd(13)}  signature ok${known}`;
}
