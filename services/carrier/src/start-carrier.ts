import { startLoop } from "@shipping/kit/process/loop";
import { createPublisher, type PublisherParts } from "@shipping/kit/service/publisher";
import type { Service } from "@shipping/kit/service/run-service";
import { callerIn, claimIn } from "./bookings/booking.js";
import { measureBookings } from "./bookings/monitor-bookings.js";
import { type LabelWriter, settleOnce } from "./bookings/settle-bookings.js";
import type { Carriers } from "./carriers/carrier.js";
import { sandboxCarrier } from "./carriers/sandbox-carrier.js";
import type { CarrierDeps } from "./deps.js";
import { createProjectedMarks, createProjectOnce } from "./neighbours/project-label-event.js";
import { carrierPeers, carrierRoutes } from "./rpc.js";
import { storeLabel } from "./store-label.js";
import { storeVoid } from "./void-label.js";

const PROJECT_MS = 2_000;
const SETTLE_MS = 1_000;

export interface CarrierParts extends PublisherParts, Pick<CarrierDeps, "records" | "tracking"> {
  /** Set for a carrier for trials, in the sandbox of one account. */
  trial?: Carriers["trial"];
}

/** Starts carrier: its RPCs, the relay of its events, and the repetition of projections that records or tracking missed. */
export async function startCarrier(parts: CarrierParts): Promise<Service> {
  const { db, log, records, tracking, random, trial } = parts;
  const projectedMarks = createProjectedMarks(db, log);
  const { deps: publisher, metrics } = createPublisher("carrier", parts, projectedMarks.inOutbox);
  measureBookings(metrics, { db });
  const deps: CarrierDeps = {
    ...publisher,
    projectedMarks,
    records,
    tracking,
    carriers: { sandbox: sandboxCarrier(random), live: undefined, trial },
    clockOffsetMs: 0,
  };
  deps.outbox.start();
  const projection = startLoop({ name: "project", everyMs: PROJECT_MS, log, once: createProjectOnce(deps) });
  const settlement = startLoop({
    name: "settle",
    everyMs: SETTLE_MS,
    log,
    once: () => settleOnce(deps, labelWriter(deps)),
  });
  return {
    routes: carrierRoutes(deps),
    peers: carrierPeers,
    metrics,
    async stop() {
      await Promise.all([projection.stop(), settlement.stop()]);
      await projectedMarks.flush();
      await deps.outbox.stop();
    },
  };
}

/** Stores labels and voids as a request would. Another worker then sends their events to records and tracking. */
export function labelWriter(deps: CarrierDeps): LabelWriter {
  return {
    async storeLabel(row, active) {
      const { shipmentId, carrier } = row;
      const newLabel = { caller: callerIn(row), claim: claimIn(row), shipmentId, carrier, at: deps.now() };
      const { event } = await storeLabel(deps, newLabel, active, { row, active, settles: false });
      return event !== undefined;
    },
    storeVoid: (row) => storeVoid(deps, row),
  };
}
