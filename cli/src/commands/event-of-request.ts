import { failureIn } from "@shipping/kit/errors";
import { describeError } from "@shipping/kit/service/finding";
import type { EventType } from "@shipping/proto/event-types";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { Origin } from "@shipping/proto/shipping/common/v1/common_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { callPart, onWebhooks } from "../platform/call-parts.js";
import type { Platform } from "../platform/find-platform.js";
import { plain } from "../platform/plain.js";
import { describeOutcomes } from "./describe-deliveries.js";

/** A row of the request log, as far as it names what the request changed. */
interface Logged {
  requestId: string;
  method: string;
  accountId?: string | undefined;
  environment?: string | undefined;
  resourceId?: string | undefined;
}

interface Asked {
  caller: { accountId: string; environment: string };
  id: string;
}

/** The events of a resource, each with its origin. */
type Changes = Partial<Record<EventType, Origin>>;

/** How the changes of a resource are read from its owner, by the prefix of its ID. */
const CHANGES: Readonly<Record<string, (platform: Platform, asked: Asked) => Promise<Changes>>> = {
  ord: (platform, asked) =>
    callPart(platform, "records", RecordsService, async (records) => {
      const { created } = await records.getOrder(asked);
      return { ...(created && { "order.created": created }) };
    }),
  shp: (platform, asked) =>
    callPart(platform, "records", RecordsService, async (records) => {
      const { created } = await records.getShipment(asked);
      return { ...(created && { "shipment.created": created }) };
    }),
  lbl: (platform, asked) =>
    callPart(platform, "carrier", CarrierService, async (carrier) => {
      const { created, voided } = await carrier.getLabel(asked);
      return { ...(created && { "label.created": created }), ...(voided && { "label.voided": voided }) };
    }),
};

/** Finds the event that a write caused, for print; undefined if it caused none, as a replay does not. */
export async function eventOfRequest(platform: Platform, request: Logged) {
  const { requestId, accountId, environment, resourceId = "", method } = request;
  const read = CHANGES[resourceId.slice(0, 3)];
  if (!read || !accountId || !environment || method === "GET") return undefined;
  try {
    const changes = await unlessNotFound(read(platform, { caller: { accountId, environment }, id: resourceId }));
    const [type, origin] = Object.entries(changes ?? {}).find(([, one]) => one.requestId === requestId) ?? [];
    if (!type || !origin) return undefined;
    const id = origin.eventId;
    const reading = onWebhooks(platform, (webhooks) => webhooks.showEvent({ id }));
    const deliveries = (await unlessNotFound(reading))?.deliveries;
    return {
      fact: `${type} ${id}`,
      text: deliveries ? describeOutcomes(deliveries) : "The event has not arrived at webhooks, or is no longer kept.",
      json: { id, type, deliveries: deliveries?.map(plain) },
    };
  } catch (error) {
    // The owner of the resource or webhooks may be what is being debugged.
    return { fact: "unknown", text: describeError(error), json: { unknown: describeError(error) } };
  }
}

async function unlessNotFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (failureIn(error)?.code === "not_found") return undefined;
    throw error;
  }
}
