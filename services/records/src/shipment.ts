import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import {
  type CreateShipmentRequest,
  type Shipment,
  ShipmentSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import { givenFields, type SharedRow, storedFields } from "./shared-fields.js";

/** A row of shipments. */
export interface ShipmentRow extends SharedRow {
  orderId: string | null;
  labelId: string | null;
}

/** A draft gets a label, a label is voided; never the other way. */
export type ShipmentStatus = "draft" | "label_created" | "voided";

/** A new shipment: a draft. */
export function newShipment(request: CreateShipmentRequest, caller: Caller, id: string, now: Date): Shipment {
  return create(ShipmentSchema, {
    ...givenFields(request),
    ...(request.orderId === undefined ? {} : { orderId: request.orderId }),
    id,
    object: "shipment",
    status: "draft",
    livemode: caller.environment === "live",
    createdAt: now.toISOString(),
  });
}

/** A shipment as it is stored. */
export function shipmentOf(row: ShipmentRow): Shipment {
  return create(ShipmentSchema, {
    ...storedFields(row),
    object: "shipment",
    ...(row.orderId === null ? {} : { orderId: row.orderId }),
    ...(row.labelId === null ? {} : { labelId: row.labelId }),
  });
}

/** The status that a label event brings about, or undefined for an event that concerns no shipment. */
export function statusAfter(eventType: string): ShipmentStatus | undefined {
  if (eventType === "label.created") return "label_created";
  if (eventType === "label.voided") return "voided";
  return undefined;
}
