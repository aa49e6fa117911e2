import { callerOf, claimOf } from "@shipping/kit/caller";
import { type FieldError, failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { executedNow, keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { violated } from "@shipping/kit/postgres/database";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { Call } from "@shipping/kit/rpc/server";
import type { CreateLabelRequest } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql from "sql-template-tag";
import { carrierFor } from "./carriers/carrier.js";
import { type Rate, rateJson } from "./carriers/rate.js";
import type { CarrierDeps } from "./deps.js";
import { type LabelRow, labelJson, labelRefusal } from "./label.js";
import { projectLabelEvent } from "./project-label-event.js";
import { findLabelOf } from "./read-labels.js";
import { readShipment } from "./read-shipment.js";

type LabelFields = Pick<CreateLabelRequest, "caller" | "shipmentId" | "rateId">;

/** The fields of a new label that break a rule, whether or not there is such a shipment. */
export function checkLabel({ carriers }: CarrierDeps, request: LabelFields): FieldError[] {
  const offered = carrierFor(carriers, callerOf(request)).offers(request.rateId, request.shipmentId);
  return offered ? [] : [{ path: "rate_id", message: "must be the ID of a rate for this shipment" }];
}

/** Books a shipment and stores the label, its file, its event and its replayable answer in one statement, which creations that wait share. */
export async function createLabel(deps: CarrierDeps, request: CreateLabelRequest, call: Call): Promise<WriteOutcome> {
  const { outbox, random } = deps;
  const { shipmentId, rateId } = request;
  const caller = callerOf(request);
  const claim = claimOf(request);
  const faults = checkLabel(deps, request);
  if (faults.length > 0) throw failFields(faults);
  const shipment = await readShipment(deps, caller, shipmentId, call);
  const refusal = labelRefusal(shipment.status);
  if (refusal) {
    // It may be this very request's label, when the gateway was restored from an older copy and has lost the key.
    const outcome = await deps.ledger.outcomeOfHolder({ caller, claim });
    if (!outcome) throw refusal;
    return outcome;
  }

  const now = deps.now();
  const carrier = carrierFor(deps.carriers, caller);
  const { trackingNumber, pdf, rate } = await carrier.book({ shipment, rateId, at: now });
  const row = {
    id: newId("lbl", random),
    shipmentId,
    status: "created",
    carrier: carrier.name,
    trackingNumber,
    createdAt: now,
    voidedAt: null,
  };
  const data = labelJson(row);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "label.created", caller, data, now, random });

  // The unique shipment_id holds where two requests saw the same draft; it rolls the ledger row back with the rest.
  const outcome = await insertLabel(deps, { caller, claim, snapshot, event, row, pdf, rate }).catch(async (error) => {
    if (violated(error)?.constraint !== "labels_shipment_id_key") throw error;
    const first = await findLabelOf(deps, { caller, id: shipmentId });
    throw labelRefusal(first?.status ?? "created");
  });
  if (executedNow(outcome)) {
    outbox.committed(event);
    await projectLabelEvent(deps, event, call);
  }
  return outcome;
}

interface Creation extends Write {
  event: Event;
  row: LabelRow;
  pdf: Uint8Array;
  rate: Rate;
}

// Locks in one order: keys, then shipments.
const insertLabel = microBatchOperation<CarrierDeps, Creation, WriteOutcome>({
  keyOf: keyOfWrite,
  run({ ledger, outbox }, creations) {
    const rows = creations.map(({ row }) => row);
    const statement = sql`
      WITH ${ledger.claim(creations)},
      made AS (
        SELECT * FROM claim JOIN unnest(
          ${rows.map(({ id }) => id)}::text[], ${rows.map(({ shipmentId }) => shipmentId)}::text[],
          ${rows.map(({ status }) => status)}::text[], ${rows.map(({ carrier }) => carrier)}::text[],
          ${rows.map(({ trackingNumber }) => trackingNumber)}::text[],
          ${rows.map(({ createdAt }) => createdAt)}::timestamptz[], ${creations.map(({ pdf }) => pdf)}::bytea[],
          ${creations.map(({ rate }) => rateJson(rate))}::text[],
          ${creations.map(({ claim, event }) => originText(claim, event))}::text[]
        ) WITH ORDINALITY AS made (
          id, shipment_id, status, carrier, tracking_number, created_at, pdf, rate, origin, ordinal)
        USING (ordinal)),
      created AS (
        INSERT INTO labels (
          account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at,
          rate, origin)
        SELECT account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at,
          rate, origin
        FROM made ORDER BY shipment_id),
      stored AS (
        INSERT INTO label_files (account_id, environment, label_id, pdf)
        SELECT account_id, environment, id, pdf FROM made ORDER BY id),
      emitted AS (${outbox.insert(creations.map(({ event }) => event))})
      SELECT ordinal FROM claim`;
    return ledger.executeCreations(creations, statement);
  },
});
