import { callerIn, claimIn } from "./bookings/booking.js";
import type { Recording } from "./bookings/settle-bookings.js";
import type { CarrierDeps } from "./deps.js";
import { recordLabel } from "./record-label.js";
import { recordVoid } from "./record-void.js";

/** Records what the worker finds at a carrier, as the request would have. Records and tracking are told by the worker of projections. */
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
