import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { createLocalBus } from "@shipping/kit/events/bus";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { createOutbox } from "@shipping/kit/ledger/outbox";
import { silentLog } from "@shipping/kit/process/log";
import type { Call } from "@shipping/kit/rpc/server";
import { testDatabase } from "@shipping/kit/testing/database";
import { newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { CreateLabelRequestSchema, VoidLabelRequestSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { carrierMigrations } from "../account-data.js";
import { sandboxCarrier } from "../carriers/sandbox-carrier.js";
import { createLabel } from "../create-label.js";
import type { CarrierDeps } from "../deps.js";
import { createProjectedMarks } from "../neighbours/project-label-event.js";
import { voidLabel } from "../void-label.js";
import { neighbours } from "./neighbours.js";

/** The operations of carrier on their own database; `published` holds the events that reached the bus. */
export async function carrierUnderTest() {
  const { db, drop } = await testDatabase({ directory: carrierMigrations });
  const log = silentLog();
  const published: Event[] = [];
  const bus = createLocalBus();
  await bus.subscribe({ onEvent: async (event) => void published.push(event) });
  const projectedMarks = createProjectedMarks(db, log);
  const outbox = createOutbox({ db, bus, log, filterMissing: async () => [], ...projectedMarks.inOutbox });
  const around = neighbours();
  const deps: CarrierDeps = {
    db,
    ledger: createLedger(db),
    outbox,
    projectedMarks,
    records: around.records,
    tracking: around.tracking,
    carriers: { sandbox: sandboxCarrier(randomBytes), live: undefined },
    log,
    now: () => new Date("2026-11-21T10:00:00.123Z"),
    random: randomBytes,
    clockOffsetMs: 0,
  };
  const label = (...asked: Parameters<typeof labelRequest>) => createLabel(deps, labelRequest(...asked), patient);
  return {
    ...around,
    deps,
    published,
    label,
    void: (...asked: Parameters<typeof voidRequest>) => voidLabel(deps, voidRequest(...asked), patient),
    /** Creates a label for a new shipment, and returns its public body. */
    newLabel: async (caller: Caller) => toSnapshot(await label(caller, around.newShipment(caller).id)).json,
    async end() {
      await projectedMarks.flush();
      await outbox.stop();
      await drop();
    },
  };
}

/** A call without a deadline of its own. */
export const patient: Call = {
  requestId: "",
  timeLeftMs: () => Number.POSITIVE_INFINITY,
  callOptions: (timeoutMs) => (timeoutMs === undefined ? {} : { timeoutMs }),
};

export function labelRequest(
  caller: Caller,
  shipmentId: string,
  claim = newClaim(),
  rateId = `rate_test_${shipmentId}`,
) {
  return create(CreateLabelRequestSchema, { caller, claim, shipmentId, rateId });
}

export function voidRequest(caller: Caller, id: string, claim = newClaim()) {
  return create(VoidLabelRequestSchema, { caller, claim, id });
}
