import { callerOf, claimOf } from "@shipping/kit/caller";
import { violated } from "@shipping/kit/database";
import { type FieldError, failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { publicJson } from "@shipping/kit/json";
import { executedNow } from "@shipping/kit/ledger";
import { newEvent } from "@shipping/kit/outbox";
import { ownedSql } from "@shipping/kit/owned";
import type { Call } from "@shipping/kit/serve";
import { type CreateLabelRequest, LabelSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import sql from "sql-template-tag";
import { carrierFor } from "./carrier.js";
import type { CarrierDeps } from "./deps.js";
import { labelOf, labelRefusal } from "./label.js";
import { projectLabelEvent } from "./project-label-event.js";
import { findLabel } from "./read-labels.js";
import { readShipment } from "./read-shipment.js";

type LabelFields = Pick<CreateLabelRequest, "caller" | "shipmentId" | "rateId">;

/** The fields of a new label that break a rule, whether or not there is such a shipment. */
export function checkLabel({ carriers }: CarrierDeps, request: LabelFields): FieldError[] {
  const offered = carrierFor(carriers, callerOf(request)).offers(request.rateId, request.shipmentId);
  return offered ? [] : [{ path: "rate_id", message: "must be a rate of this shipment" }];
}

/** Books a shipment and stores the label, its file, its event and its replayable answer in one statement. */
export async function createLabel(deps: CarrierDeps, request: CreateLabelRequest, call: Call): Promise<WriteOutcome> {
  const { ledger, outbox, random } = deps;
  const { shipmentId, rateId } = request;
  const caller = callerOf(request);
  const claim = claimOf(request);
  const faults = checkLabel(deps, request);
  if (faults.length > 0) throw failFields(faults);
  const shipment = await readShipment(deps, caller, shipmentId, call);
  const refusal = labelRefusal(shipment.status);
  if (refusal) throw refusal;

  const now = deps.now();
  const carrier = carrierFor(deps.carriers, caller);
  const { trackingNumber, pdf } = await carrier.book({ shipment, rateId, at: now });
  const label = labelOf({
    id: newId("lbl", random),
    shipmentId,
    status: "created",
    carrier: carrier.name,
    trackingNumber,
    createdAt: now,
    voidedAt: null,
  });
  const data = publicJson(LabelSchema, label);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "label.created", caller, data, now, random });

  const statement = sql`
    WITH claim AS (${ledger.claim(caller, claim, snapshot)}),
    created AS (
      INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
      SELECT ${caller.accountId}, ${caller.environment}, ${label.id}, ${shipmentId}, ${label.status}, ${label.carrier},
        ${trackingNumber}, ${now}
      FROM claim),
    stored AS (
      INSERT INTO label_files (account_id, environment, label_id, pdf)
      SELECT ${caller.accountId}, ${caller.environment}, ${label.id}, ${pdf} FROM claim),
    emitted AS (${outbox.insert(event)})
    SELECT token FROM claim`;
  // The unique shipment_id holds where two requests saw the same draft; it rolls the ledger row back with the rest.
  const outcome = await ledger.executeCreation(caller, claim, statement, snapshot).catch(async (error) => {
    if (violated(error)?.constraint !== "labels_shipment_id_key") throw error;
    const first = await findLabel(deps.db, sql`${ownedSql(caller)} AND shipment_id = ${shipmentId}`);
    throw labelRefusal(first?.status ?? "created");
  });
  if (executedNow(outcome)) {
    outbox.committed(event);
    await projectLabelEvent(deps, event, call);
  }
  return outcome;
}
