import { type Failure, fail } from "@shipping/kit/errors";

/** A row of labels. */
export interface LabelRow {
  id: string;
  shipmentId: string;
  status: string;
  carrier: string;
  trackingNumber: string;
  format: string;
  currency: string;
  amount: number;
  test: boolean;
  createdAt: Date;
  voidedAt: Date | null;
}

/** The path of a label's file in the API. */
export const filePath = (id: string) => `/api/v1/labels/${id}/file`;

/** The public label, as JSON text. */
export function labelJson(row: LabelRow): string {
  return JSON.stringify({
    id: row.id,
    object: "label",
    shipment_id: row.shipmentId,
    status: row.status,
    carrier: row.carrier,
    tracking_number: row.trackingNumber,
    format: row.format,
    download_path: filePath(row.id),
    charge: { currency: row.currency, amount: row.amount },
    test: row.test,
    created_at: row.createdAt.toISOString(),
    voided_at: row.voidedAt?.toISOString(),
  });
}

/** The label after a void at `now`. A voided label stays as it is. */
export function voided(row: LabelRow, now: Date): LabelRow {
  return row.status === "voided" ? row : { ...row, status: "voided", voidedAt: now };
}

/** Why a shipment cannot get a label, by the status of the shipment or of its label; undefined for a draft. */
export function labelRefusal(status: string): Failure | undefined {
  if (status === "draft") return undefined;
  return fail(status === "voided" ? "shipment_voided" : "label_exists");
}
