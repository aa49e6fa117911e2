import * as examples from "../examples.js";
import * as schemas from "../input/schemas.js";
import { tracking } from "../resources.js";
import { type Operation, read } from "./operation.js";

export const trackingOperations: readonly Operation[] = [
  read({
    operationId: "getTracking",
    path: "/tracking/{tracking_number}",
    scope: "shipments:read",
    summary: "Track a sandbox label",
    purpose:
      "Returns the tracking status of a label. In the sandbox, the status stays `pre_transit` until the label is voided.",
    guide: "testing",
    id: schemas.anyTrackingNumber,
    answers: tracking,
    example: {
      id: examples.label.tracking_number,
      data: examples.tracking,
      invalid: examples.unknownParameter,
      missing: "No such tracking number. Send that of a label in the account and environment of your API key.",
    },
  }),
];
