import type { Caller } from "@shipping/kit/caller";
import type { Columns, Row } from "@shipping/kit/postgres/columns";
import type { CreateShipmentRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import { newSharedRow, publicJson, type Shown, sharedColumns } from "./shared-fields.js";

/** The texts that only shipments have. Each is a column and a member of the public resource. */
const shipmentTexts = { orderId: "text?", labelId: "text?" } as const satisfies Columns;

/** The columns of a shipment that the public resource shows. */
export const shipmentColumns = { ...sharedColumns, ...shipmentTexts } as const satisfies Columns;

export const storedShipmentColumns = { ...shipmentColumns, origin: "text?" } as const satisfies Columns;

export type ShipmentRow = Row<typeof shipmentColumns>;

/** A draft gets a label, and a label is voided; the status never goes back. */
export type ShipmentStatus = "draft" | "label_created" | "voided";

export function newShipment(request: CreateShipmentRequest, caller: Caller, id: string, now: Date): ShipmentRow {
  return {
    id,
    status: "draft",
    ...newSharedRow(request, caller, now),
    orderId: request.orderId ?? null,
    labelId: null,
  };
}

export const shipmentJson = (row: Shown<ShipmentRow>) => publicJson("shipment", row, shipmentTexts);

/** The status that a label event brings about, or undefined for an event that concerns no shipment. */
export function statusAfter(eventType: string): ShipmentStatus | undefined {
  if (eventType === "label.created") return "label_created";
  if (eventType === "label.voided") return "voided";
  return undefined;
}
