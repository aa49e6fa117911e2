import type { DerivedRows } from "@shipping/kit/derived/derived-rows";
import { keepDerived } from "@shipping/kit/derived/keep-derived";
import { arrivedEvents, eventsOfRecords, waitingEvents } from "@shipping/kit/ledger/derived-events";
import { startLoop } from "@shipping/kit/process/loop";
import { createPublisher, derivedEventsDeps, type PublisherParts } from "@shipping/kit/service/publisher";
import type { Service } from "@shipping/kit/service/run-service";
import { callerIn, claimIn } from "./bookings/booking.js";
import { measureBookings } from "./bookings/monitor-bookings.js";
import { type LabelWriter, settleOnce } from "./bookings/settle-bookings.js";
import type { Carriers } from "./carriers/carrier.js";
import { sandboxCarrier } from "./carriers/sandbox-carrier.js";
import type { CarrierDeps } from "./deps.js";
import { type CopyDeps, derivedCopies } from "./derived-copies.js";
import { labelEvents } from "./derived-events.js";
import { createProjectedMarks, createProjectOnce } from "./neighbours/project-label-event.js";
import { carrierPeers, carrierRoutes } from "./rpc.js";
import { storeLabel } from "./store-label.js";
import { storeVoid } from "./void-label.js";

const PROJECT_MS = 2_000;
const SETTLE_MS = 1_000;

export interface CarrierParts extends PublisherParts {
  records: CarrierDeps["records"] & CopyDeps["records"];
  tracking: CarrierDeps["tracking"] & CopyDeps["tracking"];
  /** Set for a carrier for trials, in the sandbox of one account. */
  trial?: Carriers["trial"];
}

/**
 * Starts carrier: its RPCs, the relay of its events, the repetition of projections that records or tracking missed, and the walk through what is
 * derived from labels.
 */
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
  const derived = derivedRows(parts);
  const keeping = keepDerived({ all: derived, log, metrics, random });
  return {
    routes: carrierRoutes(deps, derived),
    peers: carrierPeers,
    metrics,
    async stop() {
      await Promise.all([projection.stop(), settlement.stop(), keeping.stop()]);
      await projectedMarks.flush();
      await deps.outbox.stop();
    },
  };
}

/** The copies of labels, which carrier makes and keeps right, and the events that labels have caused. */
function derivedRows(parts: CarrierParts): DerivedRows[] {
  const events = derivedEventsDeps(parts);
  const source = labelEvents(parts.db);
  return [
    ...derivedCopies(parts),
    eventsOfRecords(events, source),
    waitingEvents(events, [source]),
    arrivedEvents(events, [source]),
  ];
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
