import { type Failure, fail } from "@shipping/kit/errors";

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

/** The public label, as JSON text. Whatever is the same for all labels of the sandbox is not stored. */
export function labelJson(row: LabelRow): string {
  return JSON.stringify({
    id: row.id,
    object: "label",
    shipment_id: row.shipmentId,
    status: row.status,
    carrier: row.carrier,
    tracking_number: row.trackingNumber,
    format: "pdf",
    download_path: `/api/v1/labels/${row.id}/file`,
    charge: { currency: "EUR", amount: 0 },
    test: true,
    created_at: row.createdAt.toISOString(),
    voided_at: row.voidedAt?.toISOString(),
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
