import { isId } from "@shipping/kit/ids";
import type { LoggedRequest } from "@shipping/proto/shipping/access/v1/access_pb";
import { keyName } from "../keys/key-name.js";
import { ask, type PageDeps, type PageRequest, unlessNotFound } from "../page/page.js";
import { isMissing, type Part, readPart } from "../page/part.js";
import { getSubscription, readEvent } from "../read/read-webhooks.js";
import { readRequest } from "../requests/request.js";
import { findLabels, findOrders, findShipments, type ListedRecord, toLabelName } from "../resources/find-resources.js";

export interface Match {
  kind: Kind;
  /** The path of its page, relative to that of the environment. */
  path: string;
  name: string;
  id: string;
  /** An order or a shipment, as its list shows it. */
  record?: ListedRecord;
}

export type Kind = "API key" | "Event" | "Label" | "Order" | "Request" | "Shipment" | "Subscription";

export const MAX_PER_KIND = 5;

type Find = (deps: PageDeps, request: PageRequest, text: string) => Promise<Match[]>;
type Search = readonly [Kind, Find];

const BY_PREFIX: Readonly<Record<string, Search>> = {
  ord: ["Order", findOrderMatches],
  shp: ["Shipment", findShipmentMatches],
  lbl: ["Label", findLabelMatches],
  req: ["Request", findRequestById],
  key: ["API key", findKeyMatches],
  whk: ["Subscription", findSubscription],
  evt: ["Event", findEvent],
};
const BY_WORDS: readonly Search[] = [
  ["Shipment", findShipmentMatches],
  ["Order", findOrderMatches],
  ["API key", findKeyMatches],
  ["Request", findRequestMatches],
];

/** The matches of one kind, or why they could not be read. */
interface Searched {
  kind: Kind;
  part: Part<Match[]>;
}

/** Finds the resource with this ID or tracking number. Other text is searched for in all kinds that have names. */
export async function findMatches(deps: PageDeps, request: PageRequest, text: string): Promise<Searched[]> {
  const findAll = (searches: readonly Search[]) =>
    Promise.all(
      searches.map(async ([kind, find]) => ({ kind, part: await readPart(request, (part) => find(deps, part, text)) })),
    );
  const prefix = text.slice(0, 3);
  if (isId(prefix, text)) return findAll(BY_PREFIX[prefix] ? [BY_PREFIX[prefix]] : []);
  const labels = await findAll(toLabelName(text) ? [["Label", findLabelMatches]] : []);
  if (labels.some(({ part }) => !isMissing(part) && part.length > 0)) return labels;
  return [...labels, ...(await findAll(BY_WORDS))];
}

const toRecordMatch =
  (kind: Kind, list: string) =>
  (record: ListedRecord): Match => ({
    kind,
    path: `${list}/${record.id}`,
    name: record.reference,
    id: record.id,
    record,
  });

async function findOrderMatches(deps: PageDeps, request: PageRequest, text: string): Promise<Match[]> {
  const { found } = await findOrders(deps, request, { text, limit: MAX_PER_KIND });
  return found.map(toRecordMatch("Order", "orders"));
}

async function findShipmentMatches(deps: PageDeps, request: PageRequest, text: string): Promise<Match[]> {
  const { found } = await findShipments(deps, request, { text, limit: MAX_PER_KIND });
  return found.map(toRecordMatch("Shipment", "shipments"));
}

async function findLabelMatches(deps: PageDeps, request: PageRequest, text: string): Promise<Match[]> {
  const { found } = await findLabels(deps, request, { text, limit: MAX_PER_KIND });
  return found.map(({ id, trackingNumber: name }) => ({ kind: "Label", path: `labels/${id}`, name, id }));
}

async function findRequestById(deps: PageDeps, request: PageRequest, id: string): Promise<Match[]> {
  const read = await readRequest(deps, request, id);
  return read ? [toMatch(read.found)] : [];
}

async function findRequestMatches(deps: PageDeps, request: PageRequest, text: string): Promise<Match[]> {
  const wanted = { texts: [text], idempotencyKeys: true, limit: MAX_PER_KIND };
  const { requests } = await ask(request, deps.access.findRequests, wanted);
  return requests.map(toMatch);
}

function toMatch({ id, method, path, status }: LoggedRequest): Match {
  return { kind: "Request", path: `requests/${id}`, name: `${method} ${path} ${status ?? ""}`.trim(), id };
}

async function findKeyMatches(deps: PageDeps, request: PageRequest, text: string): Promise<Match[]> {
  const { keys } = await ask(request, deps.access.findKeys, { text });
  return keys.slice(0, MAX_PER_KIND).map((key) => ({
    kind: "API key",
    path: `requests?key=${key.id}`,
    name: `${keyName(key)} …${key.lastFour}`,
    id: key.id,
  }));
}

async function findSubscription(deps: PageDeps, request: PageRequest, id: string): Promise<Match[]> {
  const found = await unlessNotFound(getSubscription(deps, { ...request, id }));
  return found ? [{ kind: "Subscription", path: `webhooks/${id}`, name: found.url, id }] : [];
}

async function findEvent(deps: PageDeps, request: PageRequest, id: string): Promise<Match[]> {
  const event = await unlessNotFound(readEvent(deps, request, id));
  return event ? [{ kind: "Event", path: `events/${id}`, name: event.type, id }] : [];
}
