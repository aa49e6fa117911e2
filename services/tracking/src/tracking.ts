import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";

/** A row of tracking_records, without its caller. */
export interface TrackingRow {
  trackingNumber: string;
  status: string;
  carrier: string;
  labelId: string;
  shipmentId: string;
  createdAt: Date;
  updatedAt: Date;
  test: boolean;
}

/** A scan as it is stored. */
export interface ScanRow {
  id: string;
  status: string;
  at: Date;
  message: string;
}

/** The statuses that a carrier may report. Of two scans with the same time, the one whose status is later in this list is the newer one. */
export const SCAN_STATUSES = ["in_transit", "out_for_delivery", "delivered", "returned", "exception"];

/** A record with the latest status that its carrier has reported, and all scans, earliest first. */
export interface TrackedRow extends TrackingRow {
  movement: string | null;
  scans: readonly (Omit<ScanRow, "at"> & { at: string })[];
}

/** The public tracking record, as JSON text. The sandbox's own carrier reports nothing, so `events` stays empty. */
export function trackingJson(row: TrackedRow): string {
  const events = row.scans.map(({ status, at, message }) => ({
    object: "tracking_event",
    status,
    message,
    occurred_at: new Date(at).toISOString(),
  }));
  return JSON.stringify({
    id: row.trackingNumber,
    object: "tracking",
    tracking_number: row.trackingNumber,
    status: row.status === "voided" ? row.status : (row.movement ?? row.status),
    carrier: row.carrier,
    label_id: row.labelId,
    shipment_id: row.shipmentId,
    events,
    test: row.test,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  });
}

/** The record that a label event alone would make, or undefined for an event that concerns no label. */
export function rowAfter(event: Event): TrackingRow | undefined {
  const status = statusAfter(event.type);
  if (!status) return undefined;
  const { created_at: at, data: label } = JSON.parse(Buffer.from(event.body).toString()) as LabelEventBody;
  return {
    trackingNumber: label.tracking_number,
    status,
    carrier: label.carrier,
    labelId: label.id,
    shipmentId: label.shipment_id,
    createdAt: new Date(label.created_at),
    updatedAt: new Date(at),
    // Older events lack this member. None of their labels was postage.
    test: label.test ?? true,
  };
}

function statusAfter(eventType: string): "pre_transit" | "voided" | undefined {
  if (eventType === "label.created") return "pre_transit";
  if (eventType === "label.voided") return "voided";
  return undefined;
}

interface LabelEventBody {
  created_at: string;
  data: {
    id: string;
    shipment_id: string;
    tracking_number: string;
    carrier: string;
    created_at: string;
    test?: boolean;
  };
}
