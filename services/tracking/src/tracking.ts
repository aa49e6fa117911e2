import type { Columns, Row } from "@shipping/kit/postgres/columns";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";

/** The columns of `tracking_records`, without its caller. */
export const trackingColumns = {
  trackingNumber: "text",
  status: "text",
  carrier: "text",
  labelId: "text",
  shipmentId: "text",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  test: "boolean",
} as const satisfies Columns;

export type TrackingRow = Row<typeof trackingColumns>;

/** Returns the public tracking record, as JSON text. The specification says that `events` is always empty. */
export function trackingJson(row: TrackingRow): string {
  return JSON.stringify({
    id: row.trackingNumber,
    object: "tracking",
    tracking_number: row.trackingNumber,
    status: row.status,
    carrier: row.carrier,
    label_id: row.labelId,
    shipment_id: row.shipmentId,
    events: [],
    test: row.test,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  });
}

/** Returns the record as of a label event; undefined for an event of another type. */
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
    test: label.test,
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
    test: boolean;
  };
}
