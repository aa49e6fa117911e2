import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { MAX_MATCHES } from "@shipping/kit/postgres/search-owned";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import { trackingNumber } from "../../input/schemas.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { callerOfPage, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE } from "../page/paging.js";

/** Which resources of an environment to find, the newest first. */
export interface Wanted {
  text?: string | undefined;
  status?: string | undefined;
  /** ISO 8601; created at this time or later, and before that one. */
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
  /** Only those after this one. */
  after?: string | undefined;
  /** `PAGE_SIZE` unless given. */
  limit?: number | undefined;
}

/** One page of what was found. */
interface FoundPage<Summary> {
  found: Summary[];
  nextCursor?: string | undefined;
  /** The text is the beginning of so much that not all of it was looked at. */
  incomplete: boolean;
}

/** Finds shipments by id, reference, recipient, postal code, or by their label's id or tracking number. */
export async function findShipments(
  deps: PageDeps,
  request: PageRequest,
  wanted: Wanted,
): Promise<FoundPage<RecordSummary>> {
  const ids = namesLabel(wanted.text) ? await shipmentsOfLabel(deps, request, wanted.text) : [];
  const { shipments, ...rest } = await searchShipments(deps, request, wanted, ids);
  return { found: shipments, ...rest };
}

/** Finds orders by id, reference, recipient or postal code. */
export async function findOrders(
  deps: PageDeps,
  request: PageRequest,
  wanted: Wanted,
): Promise<FoundPage<RecordSummary>> {
  const asked = { caller: callerOfPage(request), search: searchOf(wanted, []) };
  const { orders, ...rest } = await answered(deps.clients.records.searchOrders(asked, callOptions(request)));
  return { found: orders, ...rest };
}

/** Finds labels by ID, by tracking number, or by their shipment's ID, reference, recipient or postal code. */
export async function findLabels(
  deps: PageDeps,
  request: PageRequest,
  wanted: Wanted,
): Promise<FoundPage<LabelSummary>> {
  const { text } = wanted;
  const { ids, incomplete } = text && !namesLabel(text) ? await labelsOfShipments(deps, request, text) : NONE;
  const asked = { caller: callerOfPage(request), search: searchOf(wanted, ids) };
  const { labels, ...rest } = await answered(deps.clients.carrier.searchLabels(asked, callOptions(request)));
  return { found: labels, incomplete, ...rest };
}

const NONE = { ids: [], incomplete: false };

/** The shipments of these ids, by their ids. */
export async function shipmentsById(
  deps: PageDeps,
  request: PageRequest,
  ids: readonly string[],
): Promise<Map<string, RecordSummary>> {
  if (ids.length === 0) return new Map();
  const { shipments } = await searchShipments(deps, request, { limit: MAX_MATCHES }, ids);
  return new Map(shipments.map((shipment) => [shipment.id, shipment]));
}

/** A page of an order's shipments. */
export async function shipmentsOfOrder(
  deps: PageDeps,
  request: PageRequest,
  orderId: string,
  after: string | undefined,
) {
  const asked = { caller: callerOfPage(request), search: searchOf({ after }, []), orderId };
  return answered(deps.clients.records.searchShipments(asked, callOptions(request)));
}

/** Refuses an id of another form, before an owner is asked. */
export function requireId(prefix: string, id: string): void {
  if (!isId(prefix, id)) throw fail("not_found");
}

function namesLabel(text: string | undefined): text is string {
  const named = text?.trim() ?? "";
  return isId("lbl", named) || trackingNumber.safeParse(named).success;
}

async function shipmentsOfLabel(deps: PageDeps, request: PageRequest, text: string): Promise<string[]> {
  const asked = { caller: callerOfPage(request), search: searchOf({ text, limit: 1 }, []) };
  const { labels } = await answered(deps.clients.carrier.searchLabels(asked, callOptions(request)));
  return labels.map(({ shipmentId }) => shipmentId);
}

async function labelsOfShipments(deps: PageDeps, request: PageRequest, text: string) {
  const { shipments, nextCursor, incomplete } = await searchShipments(deps, request, { text, limit: MAX_MATCHES }, []);
  const ids = shipments.flatMap(({ labelId }) => labelId ?? []);
  return { ids, incomplete: incomplete || nextCursor !== undefined };
}

function searchShipments(deps: PageDeps, request: PageRequest, wanted: Wanted, ids: readonly string[]) {
  const asked = { caller: callerOfPage(request), search: searchOf(wanted, ids) };
  return answered(deps.clients.records.searchShipments(asked, callOptions(request)));
}

function searchOf(wanted: Wanted, ids: readonly string[]) {
  const { limit = PAGE_SIZE, ...given } = wanted;
  const told = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { limit, ids: [...ids], ...told };
}
