import type * as resources from "@shipping/api/resources";
import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { eventTypes } from "@shipping/proto/event-types";
import type { Origin } from "@shipping/proto/shipping/common/v1/common_pb";
import type { z } from "zod";
import { ask, type PageDeps, type PageRequest, unlessNotFound } from "../page/page.js";

/** The types of events that the histories of resources show. A type that is missing here is delivered, but shown in no history. */
export const HISTORY_TYPES = ["order.created", "shipment.created", "label.created", "label.voided"] as const;

type HistoryType = (typeof HISTORY_TYPES)[number];

/** A change to a resource, and who made it. */
export interface HistoryEntry {
  /** The type of the event that the change caused. */
  type: HistoryType;
  words: string;
  at: Date;
  origin: Origin | undefined;
}

/** A label, its history, and its rate if that was stored. */
export type ReadLabel = Awaited<ReturnType<typeof readLabel>>;

/** The ID. Answers 404 for what cannot be one, without a call to the service. */
export function requireId(prefix: string, id: string): string {
  if (!isId(prefix, id)) throw fail("not_found");
  return id;
}

export async function readOrder(deps: PageDeps, request: PageRequest, id: string) {
  const asked = { id: requireId("ord", id) };
  const { data, created } = await ask(request, deps.clients.records.getOrder, asked);
  const order = parseResource<z.infer<typeof resources.order>>(data);
  return { order, history: [historyEntry("order.created", order.created_at, created)] };
}

export async function readShipment(deps: PageDeps, request: PageRequest, id: string) {
  const asked = { id: requireId("shp", id) };
  const { data, created } = await ask(request, deps.clients.records.getShipment, asked);
  const shipment = parseResource<z.infer<typeof resources.shipment>>(data);
  return { shipment, history: [historyEntry("shipment.created", shipment.created_at, created)] };
}

export async function readLabel(deps: PageDeps, request: PageRequest, id: string) {
  const answer = await ask(request, deps.clients.carrier.getLabel, { id: requireId("lbl", id) });
  const label = parseResource<z.infer<typeof resources.label>>(answer.data);
  const history = [historyEntry("label.created", label.created_at, answer.created)];
  if (label.voided_at) history.push(historyEntry("label.voided", label.voided_at, answer.voided));
  const rate = answer.rate.length > 0 ? parseResource<z.infer<typeof resources.rate>>(answer.rate) : undefined;
  return { label, rate, history };
}

/** Reads the PDF of a label. */
export async function readLabelFile(deps: PageDeps, request: PageRequest, id: string): Promise<Uint8Array> {
  return (await ask(request, deps.clients.carrier.getLabelFile, { id: requireId("lbl", id) })).pdf;
}

/** Reads the tracking record of a number; undefined if there is none yet. */
export async function readTracking(deps: PageDeps, request: PageRequest, trackingNumber: string) {
  const read = await unlessNotFound(ask(request, deps.clients.tracking.getTracking, { trackingNumber }));
  return read && parseResource<z.infer<typeof resources.tracking>>(read.data);
}

function historyEntry(type: HistoryType, at: string, origin: Origin | undefined): HistoryEntry {
  return { type, words: eventTypes[type].title, at: new Date(at), origin };
}

/** Parses the JSON of a resource, as the service that owns it sends it. */
export function parseResource<Resource>(json: Uint8Array): Resource {
  return JSON.parse(Buffer.from(json).toString()) as Resource;
}
