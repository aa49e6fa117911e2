import { failureIn } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { findKeys } from "../../accounts/manage-keys.js";
import { trackingNumber } from "../../input/schemas.js";
import { findRequests } from "../../request-log/list-requests.js";
import { readRequest } from "../../request-log/read-request.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { nameOf } from "../keys/keys.js";
import { callerOfPage, type PageDeps, type PageRequest } from "../page/page.js";
import { findLabels, findOrders, findShipments } from "../resources/find-resources.js";
import { getSubscription } from "../webhooks/read-subscriptions.js";

/** Something that was found: what it is, and its page, below that of the environment. */
export interface Found {
  kind: Kind;
  path: string;
  /** Its name or reference, and its ID. */
  name: string;
  id: string;
}

export type Kind = "API key" | "Label" | "Order" | "Request" | "Shipment" | "Subscription";

/** How much of each kind is shown. */
export const MAX_PER_KIND = 5;

type Find = (deps: PageDeps, request: PageRequest, text: string) => Promise<Found[]>;

/** How to find the resource of an ID, by its prefix. */
const NAMED: Readonly<Record<string, Find>> = {
  ord: orders,
  shp: shipments,
  lbl: labels,
  req: request,
  key: keys,
  whk: subscription,
  evt: event,
};

/** Finds the resource of an ID or tracking number. Any other text is searched for: the newest matches of each kind, labels with their shipments. */
export async function findMatches(deps: PageDeps, asked: PageRequest, text: string): Promise<Found[]> {
  const prefix = text.slice(0, 3);
  if (isId(prefix, text)) return (await NAMED[prefix]?.(deps, asked, text)) ?? [];
  if (trackingNumber.safeParse(text).success) return labels(deps, asked, text);
  const found = await Promise.all([shipments, orders, keys, requests].map((find) => find(deps, asked, text)));
  return found.flat();
}

async function orders(deps: PageDeps, asked: PageRequest, text: string): Promise<Found[]> {
  const { found } = await findOrders(deps, asked, { text, limit: MAX_PER_KIND });
  return found.map(({ id, reference }) => ({ kind: "Order", path: `orders/${id}`, name: reference, id }));
}

async function shipments(deps: PageDeps, asked: PageRequest, text: string): Promise<Found[]> {
  const { found } = await findShipments(deps, asked, { text, limit: MAX_PER_KIND });
  return found.map(({ id, reference }) => ({ kind: "Shipment", path: `shipments/${id}`, name: reference, id }));
}

async function labels(deps: PageDeps, asked: PageRequest, text: string): Promise<Found[]> {
  const { found } = await findLabels(deps, asked, { text, limit: MAX_PER_KIND });
  return found.map(({ id, trackingNumber: name }) => ({ kind: "Label", path: `labels/${id}`, name, id }));
}

async function request(deps: PageDeps, asked: PageRequest, text: string): Promise<Found[]> {
  const found = await readRequest(deps, callerOfPage(asked), text);
  return found ? [requestFound(found)] : [];
}

async function requests(deps: PageDeps, asked: PageRequest, text: string): Promise<Found[]> {
  const { rows } = await findRequests(deps, callerOfPage(asked), text, { size: MAX_PER_KIND });
  return rows.map(requestFound);
}

function requestFound({
  requestId: id,
  method,
  path,
  status,
}: {
  requestId: string;
  method: string;
  path: string;
  status: number | null;
}): Found {
  return { kind: "Request", path: `requests/${id}`, name: `${method} ${path} ${status ?? ""}`.trim(), id };
}

async function keys(deps: PageDeps, asked: PageRequest, text: string): Promise<Found[]> {
  const found = await findKeys(deps, callerOfPage(asked), text);
  return found.slice(0, MAX_PER_KIND).map((key) => ({
    kind: "API key",
    path: `requests?key=${key.id}`,
    name: `${nameOf(key)} …${key.lastFour}`,
    id: key.id,
  }));
}

async function subscription(deps: PageDeps, asked: PageRequest, id: string): Promise<Found[]> {
  const found = await unlessMissing(getSubscription(deps, { ...asked, id }));
  return found ? [{ kind: "Subscription", path: `webhooks/${id}`, name: found.url, id }] : [];
}

/** Finds the resource that an event was about. */
async function event(deps: PageDeps, asked: PageRequest, id: string): Promise<Found[]> {
  const call = deps.clients.webhooks.getEvent({ caller: callerOfPage(asked), id }, callOptions(asked));
  const found = await unlessMissing(answered(call));
  return found ? findMatches(deps, asked, found.resourceId) : [];
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (failureIn(error)?.code === "not_found") return undefined;
    throw error;
  }
}
