import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createClient, type HandlerContext } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
import { type LabelCopy, LabelCopySchema } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { RecordsService, type Shipment, ShipmentSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";

const address = { name: "Ada", street1: "1 Long Lane", city: "Berlin", postalCode: "10115", country: "DE" };

/** Records and tracking as carrier sees them: shipments to read, and the label events that arrived. The methods named in `trouble` throw it. */
export function neighbours() {
  const shipments = new Map<string, { caller: Caller; shipment: Shipment }>();
  const applied = { records: [] as Event[], tracking: [] as Event[] };
  const trouble = new Map<"read" | "records" | "tracking", () => Promise<unknown>>();
  const meet = async (what: "read" | "records" | "tracking") => {
    const error = await trouble.get(what)?.();
    if (error) throw error;
  };
  const seen: HandlerContext[] = [];
  const log = silentLog();
  const receive = (who: "records" | "tracking") => {
    async function applyLabelEvents({ events }: { events: Event[] }, context: HandlerContext) {
      seen.push(context);
      await meet(who);
      applied[who].push(...events);
      return {};
    }
    /** The copies that the events so far have made. */
    const copies = () => {
      const byLabel = new Map<string, LabelCopy>();
      for (const { accountId, environment, body } of applied[who]) {
        const { data } = JSON.parse(Buffer.from(body).toString());
        const { id: labelId, shipment_id: shipmentId, tracking_number: trackingNumber, status } = data;
        const copy = { accountId, environment, labelId, shipmentId, trackingNumber, status, searchable: true };
        if (byLabel.get(labelId)?.status !== "voided") byLabel.set(labelId, create(LabelCopySchema, copy));
      }
      return [...byLabel.values()];
    };
    const isAsked = (labels: LabelCopy[]) => (copy: LabelCopy) =>
      labels.some(({ trackingNumber }) => trackingNumber === copy.trackingNumber);
    const readLabelCopies = ({ labels }: { labels: LabelCopy[] }) => ({ copies: copies().filter(isAsked(labels)) });
    const listLabelCopies = () => ({ copies: copies() });
    const applyLabelEvent = ({ event }: { event?: Event | undefined }, context: HandlerContext) =>
      applyLabelEvents({ events: [event!] }, context);
    return { applyLabelEvent, applyLabelEvents, readLabelCopies, listLabelCopies };
  };

  const records = inProcess((router) => {
    router.service(RecordsService, {
      async getShipmentForCarrier({ caller, id }, context) {
        seen.push(context);
        await meet("read");
        const found = shipments.get(id);
        const isMine =
          found?.caller.accountId === caller?.accountId && found?.caller.environment === caller?.environment;
        if (!found || !isMine) throw fail("not_found", "No such shipment.");
        return { shipment: found.shipment };
      },
      ...receive("records"),
    });
  }, log);
  const tracking = inProcess((router) => {
    router.service(TrackingService, receive("tracking"));
  }, log);

  return {
    records: createClient(RecordsService, records),
    tracking: createClient(TrackingService, tracking),
    applied,
    trouble,
    seen,
    /** Adds a shipment to records, a draft unless a status is given. */
    newShipment(caller: Caller, { status = "draft" } = {}): Shipment {
      const shipment = create(ShipmentSchema, {
        id: newId("shp", randomBytes),
        status,
        reference: "A-1",
        from: address,
        to: { ...address, name: "Grace" },
        parcel: { weightKg: 1.5, lengthCm: 30, widthCm: 20, heightCm: 10 },
      });
      shipments.set(shipment.id, { caller, shipment });
      return shipment;
    },
  };
}
