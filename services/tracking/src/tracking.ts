import { create } from "@bufbuild/protobuf";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { type Tracking, TrackingSchema } from "@shipping/proto/shipping/tracking/v1/tracking_pb";

/** A row of tracking_records, without its caller. */
export interface TrackingRow {
  trackingNumber: string;
  status: string;
  carrier: string;
  labelId: string;
  shipmentId: string;
  createdAt: Date;
  updatedAt: Date;
}

/** A tracking record in its public shape. The sandbox has no scans, so that `events` stays empty. */
export function trackingOf(row: TrackingRow): Tracking {
  return create(TrackingSchema, {
    id: row.trackingNumber,
    object: "tracking",
    trackingNumber: row.trackingNumber,
    status: row.status,
    carrier: row.carrier,
    labelId: row.labelId,
    shipmentId: row.shipmentId,
    events: [],
    test: true,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
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
  };
}

function statusAfter(eventType: string): "pre_transit" | "voided" | undefined {
  if (eventType === "label.created") return "pre_transit";
  if (eventType === "label.voided") return "voided";
  return undefined;
}

interface LabelEventBody {
  created_at: string;
  data: { id: string; shipment_id: string; tracking_number: string; carrier: string; created_at: string };
}
