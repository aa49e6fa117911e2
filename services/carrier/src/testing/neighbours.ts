import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { createClient, type HandlerContext } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
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
    const applyLabelEvent = ({ event }: { event?: Event | undefined }, context: HandlerContext) =>
      applyLabelEvents({ events: [event!] }, context);
    return { applyLabelEvent, applyLabelEvents };
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
