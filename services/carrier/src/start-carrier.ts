import { fileURLToPath } from "node:url";
import type { Client } from "@connectrpc/connect";
import type { Bus } from "@shipping/kit/events/bus";
import { measureBus } from "@shipping/kit/events/bus";
import type { Random } from "@shipping/kit/ids";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { createOutbox, measureOutbox } from "@shipping/kit/ledger/outbox";
import type { Published } from "@shipping/kit/ledger/reconcile-outbox";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import { createMetrics } from "@shipping/kit/process/metrics";
import { type FaultPoints, ledgerWithFaultPoints } from "@shipping/kit/service/fault-points";
import type { Service } from "@shipping/kit/service/run-service";
import type { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { measureBookings } from "./bookings/measure-bookings.js";
import { settleOnce } from "./bookings/settle-bookings.js";
import type { Carriers } from "./carriers/carrier.js";
import { carrierWithFaultPoints } from "./carriers/carrier-fault-points.js";
import { sandboxCarrier } from "./carriers/sandbox-carrier.js";
import type { CarrierDeps } from "./deps.js";
import { createProjectedMarks, PROJECTED } from "./neighbours/mark-projected.js";
import { createProjection } from "./neighbours/project-label-event.js";
import { recordingWith } from "./recording.js";
import { carrierPeers, carrierRoutes } from "./rpc.js";

const PROJECT_MS = 2_000;
const ASK_MS = 5_000;
const SETTLE_MS = 1_000;

/** The folder with carrier's schema and migrations. */
export const carrierMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

/** The dependencies of the carrier service. */
export interface CarrierParts extends Pick<CarrierDeps, "records" | "tracking"> {
  db: Database;
  bus: Bus;
  webhooks: Pick<Client<typeof WebhooksService>, "filterMissing">;
  log: Log;
  now(): Date;
  random: Random;
  /** A carrier for trials, for the sandbox of one account. */
  trial?: Carriers["trial"];
  /** Points at which a test can end the process. */
  faultPoints?: FaultPoints | undefined;
}

/** Starts carrier: its RPCs, the relay of its events, and the repetition of projections that records or tracking missed. */
export async function startCarrier(parts: CarrierParts): Promise<Service> {
  const { db, bus, log, records, tracking, webhooks, now, random } = parts;
  const filterMissing = async (events: readonly Published[]) =>
    (await webhooks.filterMissing({ events: [...events] }, { timeoutMs: ASK_MS })).missingEventIds;
  const outbox = createOutbox({ db, bus, log, filterMissing, deletable: PROJECTED });
  const metrics = createMetrics({ part: "carrier", log });
  measureBus(metrics, bus);
  measureOutbox(metrics, outbox);
  measureBookings(metrics, { db });
  const projectedMarks = createProjectedMarks(db, log);
  const deps: CarrierDeps = {
    db,
    ledger: ledgerWithFaultPoints(createLedger(db), parts.faultPoints),
    outbox,
    projectedMarks,
    records,
    tracking,
    carriers: { sandbox: sandboxCarrier(random), live: undefined, trial: trialWithFaultPoints(parts) },
    log,
    now,
    random,
    clockOffsetMs: 0,
  };
  outbox.start();
  const projection = startLoop({ name: "project", everyMs: PROJECT_MS, log, once: createProjection(deps).projectOnce });
  const settlement = startLoop({
    name: "settle",
    everyMs: SETTLE_MS,
    log,
    once: () => settleOnce(deps, recordingWith(deps)),
  });
  return {
    routes: carrierRoutes(deps),
    peers: carrierPeers,
    metrics,
    async stop() {
      await Promise.all([projection.stop(), settlement.stop()]);
      await projectedMarks.flush();
      await outbox.stop();
    },
  };
}

function trialWithFaultPoints({ trial, faultPoints }: CarrierParts): Carriers["trial"] {
  return trial && { ...trial, carrier: carrierWithFaultPoints(trial.carrier, faultPoints) };
}
