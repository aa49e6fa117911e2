import type { webhook } from "@shipping/api/resources";
import type {
  DeliveryFailure,
  EventOutcome,
  SubscriptionHealth,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { z } from "zod";
import { readEndpointNames } from "../database/endpoint-names.js";
import { showHost } from "../mail/host-name.js";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";
import { parseResource, requireId } from "./read-resources.js";

export type Subscription = z.infer<typeof webhook>;

export async function getSubscription(deps: PageDeps, request: PageRequest): Promise<Subscription> {
  const id = requireId("whk", request.id);
  return parseResource((await ask(request, deps.clients.webhooks.getSubscription, { id })).data);
}

/** Reads the delivery health of these subscriptions, by ID. Without IDs, of all active ones in the environment. */
export async function listHealth(
  deps: PageDeps,
  request: PageRequest,
  ids: readonly string[] = [],
  countsGivenUp = false,
) {
  const wanted = { ids: [...ids], countsGivenUp };
  const { subscriptions } = await ask(request, deps.clients.webhooks.listSubscriptionHealth, wanted);
  return new Map<string, SubscriptionHealth>(subscriptions.map((health) => [health.subscriptionId, health]));
}

/** The host of a subscription's URL, to show instead of the whole URL. Path and query may contain a token. */
export function endpointHost(url: string): string {
  return URL.canParse(url) ? showHost(new URL(url).host) : url;
}

/** The most characters of a path that tells endpoints apart. */
const MAX_PATH = 40;

/**
 * The names of endpoints, by the ID of their subscriptions: the name that an admin has given, or the host. The path follows where endpoints have the
 * same host, and the end of the ID where they also have the same path.
 */
export function nameEndpoints(
  endpoints: readonly { id: string; url: string }[],
  given: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname : "");
  const short = (path: string) => (path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path);
  const ways: ((endpoint: { id: string; url: string }) => string)[] = [
    ({ url }) => endpointHost(url),
    ({ url }) => `${endpointHost(url)}${short(pathOf(url))}`,
    ({ id, url }) => `${endpointHost(url)}${short(pathOf(url))} (…${id.slice(-4)})`,
  ];
  const isAlone = (endpoint: { id: string; url: string }, way: (typeof ways)[number]) =>
    endpoints.every((other) => other.id === endpoint.id || given.has(other.id) || way(other) !== way(endpoint));
  return new Map(
    endpoints.map((endpoint) => {
      const way = ways.find((one) => isAlone(endpoint, one)) ?? ways.at(-1)!;
      return [endpoint.id, given.get(endpoint.id) ?? way(endpoint)];
    }),
  );
}

/** The outcome of an event for one subscription, and the delivery health of that subscription. */
export interface Outcome {
  subscriptionId: string;
  name: string;
  state: "delivered" | "exhausted" | "disabled" | "failing" | "waiting";
  /** When it was delivered or abandoned; undefined if that is not known. */
  endedAt: string | undefined;
  /** When it is attempted next; undefined if that is not known. */
  nextAt: string | undefined;
  /** How often it was attempted. */
  attempts: number;
  failingSince: string | undefined;
  /** Why the last attempt of the subscription failed, if it is failing. */
  failure: DeliveryFailure | undefined;
}

/** Outcomes by event ID. Events that have not arrived, or are no longer kept, are missing. */
export type Outcomes = ReadonlyMap<string, readonly Outcome[]>;

export async function readOutcomes(
  deps: PageDeps,
  request: PageRequest,
  eventIds: readonly string[],
): Promise<Outcomes> {
  if (eventIds.length === 0) return new Map();
  const read = await ask(request, deps.clients.webhooks.listEventOutcomes, { eventIds: [...eventIds] });
  const ids = [...new Set(read.outcomes.map(({ subscriptionId }) => subscriptionId))];
  const health = ids.length > 0 ? await listHealth(deps, request, ids) : new Map<string, never>();
  const given = ids.length > 0 ? await readEndpointNames(deps, request.session.accountId) : new Map<string, never>();
  const endpoints = ids.map((id) => ({ id, url: health.get(id)?.url ?? "" }));
  const names = nameEndpoints(endpoints, given);
  const toOutcome = ({ subscriptionId, state, endedAt, nextAt, attempts }: EventOutcome): Outcome => {
    const { state: now, failingSince, lastFailure } = health.get(subscriptionId) ?? {};
    const isFinal = state === "delivered" || state === "exhausted";
    return {
      subscriptionId,
      name: names.get(subscriptionId) ?? subscriptionId,
      state: isFinal ? state : now === "disabled" || now === "failing" ? now : "waiting",
      endedAt,
      nextAt,
      attempts,
      failingSince,
      failure: lastFailure,
    };
  };
  const findOutcomes = (id: string) => read.outcomes.filter(({ eventId }) => eventId === id).map(toOutcome);
  return new Map(read.eventIds.map((id) => [id, findOutcomes(id)]));
}

/** The body of a webhook. */
interface SentEvent {
  id: string;
  type: string;
  created_at: string;
  data: { id: string; object: string; reference?: string; tracking_number?: string };
}

/** Reads an event; 404 if the caller has none with this ID, or it is no longer kept. */
export async function readEvent(deps: PageDeps, request: PageRequest, id: string): Promise<SentEvent> {
  return parseResource((await ask(request, deps.clients.webhooks.getEvent, { id: requireId("evt", id) })).body);
}
