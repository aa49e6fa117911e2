import { trackingNumber } from "@shipping/api/input/schemas";
import type * as resources from "@shipping/api/resources";
import { isId } from "@shipping/kit/ids";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { z } from "zod";
import { MAX_NEWS, newsAnswer, readSince } from "../lists/news.js";
import { ask, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE } from "../page/paging.js";
import { parseResource } from "../read/read-resources.js";
import { type ListedKind, readFilter, toWanted } from "./filter.js";

/** Maximum number of IDs that a search takes. */
const MAX_IDS = 500;

type Shipment = z.infer<typeof resources.shipment>;

/** An order or a shipment in a list. Only a search yields the sender and the metadata. */
export type ListedRecord = Omit<Shipment, "object" | "status" | "from"> &
  Partial<Pick<Shipment, "from">> & { status: string };

export interface Wanted {
  text?: string | undefined;
  status?: string | undefined;
  /** ISO 8601. `createdFrom` is included, `createdBefore` is not. */
  createdFrom?: string | undefined;
  createdBefore?: string | undefined;
  after?: string | undefined;
  limit?: number | undefined;
  /** Without the sender and the metadata of the matches. */
  rowsOnly?: boolean | undefined;
  countsMatches?: boolean | undefined;
  oldestFirst?: boolean | undefined;
  /** Only shipments to this country. */
  country?: string | undefined;
  /** Instead of a text: those with an event whose delivery has failed and is tried again. */
  failing?: boolean | undefined;
}

const NOTHING = { found: [], nextCursor: undefined, matches: 0 };

/** The position of a page in the matches of a search. */
export type Place = Pick<Wanted, "after" | "limit">;

/** A page of matches, newest first. It is `incomplete` if the text matches so many records that not all of them were searched. */
export type FoundPage = Awaited<ReturnType<typeof findOrders | typeof findShipments | typeof findLabels>>;

/** Finds shipments by ID, by any of their words, or by their label's ID or tracking number. */
export async function findShipments(deps: PageDeps, request: PageRequest, wanted: Wanted) {
  const read = await startShipmentSearch(deps, request, wanted);
  return read(request);
}

/** The same for several pages: their label is looked up once. */
export async function startShipmentSearch(deps: PageDeps, request: PageRequest, wanted: Wanted) {
  const label = toLabelName(wanted.text);
  const named = label === undefined ? [] : await findShipmentsByLabel(deps, request, label);
  const failing = await findFailing(deps, request, "shp", wanted);
  return async (part: PageRequest, place?: Place) => {
    if (failing?.ids.length === 0) return { ...NOTHING, ...failing };
    const found = await searchShipments(deps, part, { ...wanted, ...place }, { ids: failing?.ids ?? named });
    return { ...found, incomplete: found.incomplete || failing?.incomplete === true };
  };
}

/** Finds orders by ID, or by any of their words. */
export async function findOrders(deps: PageDeps, request: PageRequest, wanted: Wanted) {
  const failing = await findFailing(deps, request, "ord", wanted);
  if (failing?.ids.length === 0) return { ...NOTHING, ...failing };
  const search = toSearch(wanted, failing?.ids);
  const found = toFound(await ask(request, deps.clients.records.searchOrders, { search }));
  return { ...found, incomplete: found.incomplete || failing?.incomplete === true };
}

const FIND = { shipments: findShipments, orders: findOrders, labels: findLabels };

/** `GET …/shipments/news` and its siblings: how many rows of the filtered list are newer than those that a page shows. */
export function showNews(kind: ListedKind): (deps: PageDeps, request: PageRequest) => Promise<PageAnswer> {
  return async (deps, request) => {
    const wanted = toWanted(readFilter(request.query, { kind, now: deps.now() }));
    const createdFrom = readSince(request.query, wanted.createdFrom);
    if (createdFrom === undefined) return newsAnswer({ count: 0 });
    const newer = { ...wanted, createdFrom, after: undefined, limit: MAX_NEWS, rowsOnly: true };
    const { found } = await FIND[kind](deps, request, newer);
    return newsAnswer({ count: found.length });
  };
}

/** The IDs of up to 500 resources whose deliveries fail, if only those are wanted. */
async function findFailing(deps: PageDeps, request: PageRequest, prefix: string, { failing }: Wanted) {
  if (!failing) return undefined;
  const { ids, incomplete } = await ask(request, deps.clients.webhooks.listFailingResources, { prefix });
  return { ids, incomplete };
}

/** Finds labels by ID, by tracking number, or by their shipment's ID or words. */
export async function findLabels(deps: PageDeps, request: PageRequest, wanted: Wanted) {
  const read = await startLabelSearch(deps, request, wanted);
  return read(request);
}

/** The same for several pages: their shipments are searched for once. */
export async function startLabelSearch(deps: PageDeps, request: PageRequest, wanted: Wanted) {
  const text = toLabelName(wanted.text) ?? wanted.text;
  const failing = await findFailing(deps, request, "lbl", wanted);
  const byShipment = text && !toLabelName(text) ? await findLabelsByShipment(deps, request, text) : undefined;
  const { ids, incomplete } = failing ?? byShipment ?? { ids: [], incomplete: false };
  return async (part: PageRequest, place?: Place) => {
    if (failing?.ids.length === 0) return { ...NOTHING, incomplete };
    const search = toSearch({ ...wanted, ...place, text }, ids);
    const { labels, matches, ...rest } = await ask(part, deps.clients.carrier.searchLabels, { search });
    return { found: labels, incomplete, ...rest, matches: incomplete ? undefined : matches };
  };
}

export async function findShipmentsById(
  deps: PageDeps,
  request: PageRequest,
  ids: readonly string[],
  { rowsOnly }: Pick<Wanted, "rowsOnly"> = { rowsOnly: true },
): Promise<Map<string, ListedRecord>> {
  if (ids.length === 0) return new Map();
  const { found } = await searchShipments(deps, request, { rowsOnly, limit: MAX_IDS }, { ids });
  return new Map(found.map((shipment) => [shipment.id, shipment]));
}

export async function findLabelsById(
  deps: PageDeps,
  request: PageRequest,
  ids: readonly string[],
): Promise<Map<string, LabelSummary>> {
  if (ids.length === 0) return new Map();
  const { labels } = await ask(request, deps.clients.carrier.searchLabels, {
    search: toSearch({ limit: MAX_IDS }, ids),
  });
  return new Map(labels.map((label) => [label.id, label]));
}

/** The text as a label's ID or tracking number, with or without the spaces that the label prints. */
export function toLabelName(text = ""): string | undefined {
  if (isId("lbl", text.trim())) return text.trim();
  const number = text.replace(/\s+/g, "").toUpperCase();
  return trackingNumber.safeParse(number).success ? number : undefined;
}

async function findShipmentsByLabel(deps: PageDeps, request: PageRequest, text: string): Promise<string[]> {
  const { labels } = await ask(request, deps.clients.carrier.searchLabels, { search: toSearch({ text, limit: 1 }) });
  return labels.map(({ shipmentId }) => shipmentId);
}

async function findLabelsByShipment(deps: PageDeps, request: PageRequest, text: string) {
  const wanted = { text, limit: MAX_IDS };
  const found = await searchShipments(deps, request, wanted, { labelIdsOnly: true });
  return { ids: found.labelIds, incomplete: found.incomplete || found.nextCursor !== undefined };
}

/** Finds shipments in the records service: those of an order, and those with these IDs even if the text does not match them. */
export async function searchShipments(
  deps: PageDeps,
  request: PageRequest,
  wanted: Wanted,
  { ids = [], ...others }: { ids?: readonly string[]; orderId?: string; labelIdsOnly?: true } = {},
) {
  return toFound(
    await ask(request, deps.clients.records.searchShipments, {
      search: toSearch(wanted, ids),
      ...(wanted.country && { country: wanted.country }),
      ...others,
    }),
  );
}

const toFound = <Answer extends { data: Uint8Array }>({ data, ...rest }: Answer) => ({
  found: parseResource<ListedRecord[]>(data),
  ...rest,
});

function toSearch({ limit = PAGE_SIZE, country: _, failing: __, ...wanted }: Wanted, ids: readonly string[] = []) {
  const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  return { limit, ids: [...ids], ...given };
}
