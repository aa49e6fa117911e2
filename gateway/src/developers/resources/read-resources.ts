import { failureIn } from "@shipping/kit/errors";
import { type EventType, eventTypes } from "@shipping/proto/event-types";
import type { Origin } from "@shipping/proto/shipping/common/v1/common_pb";
import type { z } from "zod";
import type { label, order, rate, shipment, tracking } from "../../api/resources.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { type PageDeps, type PageRequest, toCaller } from "../page/page.js";
import { requireId } from "./find-resources.js";
import type { HistoryEntry } from "./history.js";

type Label = z.infer<typeof label>;
type Tracking = z.infer<typeof tracking>;

interface ReadOrder {
  order: z.infer<typeof order>;
  history: HistoryEntry[];
}

interface ReadShipment {
  shipment: z.infer<typeof shipment>;
  history: HistoryEntry[];
}

/** A label, its history, and its rate if that was stored. */
export interface ReadLabel {
  label: Label;
  rate: z.infer<typeof rate> | undefined;
  history: HistoryEntry[];
}

export async function readOrder(deps: PageDeps, request: PageRequest, id: string): Promise<ReadOrder> {
  requireId("ord", id);
  const asked = { caller: toCaller(request), id };
  const { data, created } = await answered(deps.clients.records.getOrder(asked, callOptions(request)));
  const order: ReadOrder["order"] = parsed(data);
  return { order, history: [historyEntry("order.created", order.created_at, created)] };
}

export async function readShipment(deps: PageDeps, request: PageRequest, id: string): Promise<ReadShipment> {
  requireId("shp", id);
  const asked = { caller: toCaller(request), id };
  const { data, created } = await answered(deps.clients.records.getShipment(asked, callOptions(request)));
  const shipment: ReadShipment["shipment"] = parsed(data);
  return { shipment, history: [historyEntry("shipment.created", shipment.created_at, created)] };
}

export async function readLabel(deps: PageDeps, request: PageRequest, id: string): Promise<ReadLabel> {
  requireId("lbl", id);
  const asked = { caller: toCaller(request), id };
  const answer = await answered(deps.clients.carrier.getLabel(asked, callOptions(request)));
  const label: Label = parsed(answer.data);
  const history = [historyEntry("label.created", label.created_at, answer.created)];
  if (label.voided_at) history.push(historyEntry("label.voided", label.voided_at, answer.voided));
  return { label, rate: answer.rate.length > 0 ? parsed(answer.rate) : undefined, history };
}

/** Reads the tracking record of a number; undefined if there is none yet. */
export async function readTracking(
  deps: PageDeps,
  request: PageRequest,
  trackingNumber: string,
): Promise<Tracking | undefined> {
  const asked = { caller: toCaller(request), trackingNumber };
  try {
    const { data } = await answered(deps.clients.tracking.getTracking(asked, callOptions(request)));
    return parsed(data);
  } catch (error) {
    if (failureIn(error)?.code === "not_found") return undefined;
    throw error;
  }
}

function historyEntry(type: EventType, at: string, origin: Origin | undefined): HistoryEntry {
  return { type, words: eventTypes[type].title, at: new Date(at), origin };
}

function parsed<Resource>(json: Uint8Array): Resource {
  return JSON.parse(Buffer.from(json).toString()) as Resource;
}
