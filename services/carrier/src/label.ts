import { type Failure, fail } from "@shipping/kit/errors";
import type { Columns, Row } from "@shipping/kit/postgres/columns";

/** The columns of a label that the public resource shows. */
export const labelColumns = {
  id: "text",
  shipmentId: "text",
  status: "text",
  carrier: "text",
  trackingNumber: "text",
  format: "text",
  currency: "text",
  amount: "float8",
  test: "boolean",
  createdAt: "timestamptz",
  voidedAt: "timestamptz?",
} as const satisfies Columns;

/** All columns of a label: `rate` is the public rate as JSON text. */
export const storedLabelColumns = {
  ...labelColumns,
  rate: "text?",
  origin: "text?",
  voidOrigin: "text?",
} as const satisfies Columns;

export type LabelRow = Row<typeof labelColumns>;

export const filePath = (id: string) => `/api/v1/labels/${id}/file`;

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

/** Returns the label after a void at `now`. A voided label stays as it is. */
export function voided(row: LabelRow, now: Date): LabelRow {
  return row.status === "voided" ? row : { ...row, status: "voided", voidedAt: now };
}

/** Returns the reason why a shipment cannot get a label, by the status of the shipment or of its label; undefined for a draft. */
export function labelRefusal(status: string, labelId?: string): Failure | undefined {
  if (status === "draft") return undefined;
  if (status === "voided") return fail("shipment_voided");
  const named = labelId && `The shipment already has the label ${labelId}. Create a new shipment for another one.`;
  return fail("label_exists", named);
}
