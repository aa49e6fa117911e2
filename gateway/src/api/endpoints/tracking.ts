import type { CallOptions } from "@connectrpc/connect";
import * as schemas from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import { type Read, type Route, read, rendered } from "../endpoint.js";
import * as examples from "../examples.js";
import { tracking } from "../resources.js";

export const trackingRoutes: readonly Route[] = [
  read({
    path: "/tracking/{tracking_number}",
    scope: "shipments:read",
    owner: "tracking",
    summary: "Track a sandbox label",
    purpose:
      "Returns the tracking status of a label. In the sandbox, the status stays `pre_transit` until the label is voided.",
    guide: "testing",
    id: schemas.anyTrackingNumber,
    answers: tracking,
    handler: getTracking,
    example: {
      id: examples.label.tracking_number,
      data: examples.tracking,
      invalid: examples.unknownMember,
      missing: "No such tracking number. Send that of a label in the account and environment of your API key.",
    },
  }),
];

export async function getTracking({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.tracking.getTracking({ caller, trackingNumber: id }, options));
}
