import { callerIn, claimIn } from "./bookings/booking.js";
import type { Recording } from "./bookings/settle-bookings.js";
import type { CarrierDeps } from "./deps.js";
import { recordLabel } from "./record-label.js";
import { recordVoid } from "./record-void.js";

/** Records the worker's findings as the request would have. The worker that repeats projections then tells records and tracking. */
export function recordingWith(deps: CarrierDeps): Recording {
  return {
    async label(row, standing) {
      const { shipmentId, carrier } = row;
      const making = { caller: callerIn(row), claim: claimIn(row), shipmentId, carrier, at: deps.now() };
      const { event } = await recordLabel(deps, making, standing, { row, standing, settles: false });
      return event !== undefined;
    },
    void: (row) => recordVoid(deps, row),
  };
}
