import { randomBytes } from "node:crypto";
import { fromJson } from "@bufbuild/protobuf";
import { renderLabelPdf } from "@shipping/carrier/label/pdf";
import { newId } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import { AddressSchema, ParcelSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { readShipment } from "./read.js";
import { type FloorWrite, keepAnswer, keepEvent } from "./write.js";

/** Renders a label's PDF and stores it, with its event and its other rows, in one statement. Yields the response. */
export async function createLabel(db: Database, write: FloorWrite): Promise<string> {
  const { accountId, body } = write;
  const shipmentId = String(body.shipment_id);
  const shipment = await readShipment(db, accountId, shipmentId);
  const now = new Date();
  const id = newId("lbl", randomBytes);
  const trackingNumber = `TEST${Array.from(randomBytes(20), (byte) => byte % 10).join("")}`;
  const pdf = renderLabelPdf({
    trackingNumber,
    service: "sandbox_standard",
    reference: shipment.reference,
    from: fromJson(AddressSchema, shipment.sender),
    to: fromJson(AddressSchema, shipment.recipient),
    parcel: fromJson(ParcelSchema, shipment.parcel),
    createdAt: now,
  });
  const data = JSON.stringify({
    id,
    object: "label",
    shipment_id: shipmentId,
    status: "created",
    carrier: "service_sandbox",
    tracking_number: trackingNumber,
    format: "pdf",
    download_path: `/api/v1/labels/${id}/file`,
    charge: { currency: "EUR", amount: 0 },
    test: true,
    created_at: now.toISOString(),
  });
  await db.run(sql`
    WITH claim AS (${keepAnswer(write, 201, data)}),
    created AS (
      INSERT INTO labels (account_id, environment, id, shipment_id, status, carrier, tracking_number, created_at)
      SELECT ${accountId}, 'sandbox', ${id}, ${shipmentId}, 'created', 'service_sandbox', ${trackingNumber}, ${now} FROM claim),
    stored AS (
      INSERT INTO label_files (account_id, environment, label_id, pdf)
      SELECT ${accountId}, 'sandbox', ${id}, ${pdf} FROM claim),
    emitted AS (${keepEvent("label.created", accountId, data, now)}),
    shown AS (
      UPDATE shipments SET status = 'label_created', label_id = ${id}
      FROM claim WHERE account_id = ${accountId} AND environment = 'sandbox' AND id = ${shipmentId}),
    tracked AS (
      INSERT INTO tracking_records (
        account_id, environment, tracking_number, status, carrier, label_id, shipment_id, created_at, updated_at)
      SELECT ${accountId}, 'sandbox', ${trackingNumber}, 'pre_transit', 'service_sandbox', ${id}, ${shipmentId}, ${now}, ${now}
      FROM claim)
    SELECT status FROM claim`);
  return data;
}

/** Returns the one rate of a shipment, and stores the response. */
export async function quoteRates(db: Database, write: FloorWrite): Promise<string> {
  const shipmentId = String(write.body.shipment_id);
  const rate = { id: `rate_test_${shipmentId}`, object: "rate", shipment_id: shipmentId, carrier: "service_sandbox" };
  const price = { service: "sandbox_standard", currency: "EUR", amount: 5, test: true };
  const data = JSON.stringify([{ ...rate, ...price }]);
  await db.run(keepAnswer(write, 200, data));
  return data;
}
