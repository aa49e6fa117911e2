import { create } from "@bufbuild/protobuf";
import { type Failure, fail } from "@shipping/kit/errors";
import { type Label, LabelSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";

/** A row of labels. */
export interface LabelRow {
  id: string;
  shipmentId: string;
  status: string;
  carrier: string;
  trackingNumber: string;
  createdAt: Date;
  voidedAt: Date | null;
}

/** A label in its public shape. Whatever is the same for all labels of the sandbox is not stored. */
export function labelOf(row: LabelRow): Label {
  return create(LabelSchema, {
    id: row.id,
    object: "label",
    shipmentId: row.shipmentId,
    status: row.status,
    carrier: row.carrier,
    trackingNumber: row.trackingNumber,
    format: "pdf",
    downloadPath: `/api/v1/labels/${row.id}/file`,
    charge: { currency: "EUR", amount: 0 },
    test: true,
    createdAt: row.createdAt.toISOString(),
    ...(row.voidedAt ? { voidedAt: row.voidedAt.toISOString() } : {}),
  });
}

/** The label after a void at `now`; one that is voided stays as it is. */
export function voided(row: LabelRow, now: Date): LabelRow {
  return row.status === "voided" ? row : { ...row, status: "voided", voidedAt: now };
}

/** Why a shipment gets no label, from the status of the shipment or of its label; undefined for a draft. */
export function labelRefusal(status: string): Failure | undefined {
  if (status === "draft") return undefined;
  return fail(status === "voided" ? "shipment_voided" : "label_exists");
}
