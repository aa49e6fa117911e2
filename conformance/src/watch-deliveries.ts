import { setTimeout as wait } from "node:timers/promises";
import type { Api } from "./api.js";
import { given, NotJudged } from "./judge.js";
import type { Delivery, Listener } from "./listener.js";
import { EVENTS, type Plans } from "./plans.js";

/** What happened, and what was delivered about it. */
export interface Watched {
  subscriptionId: string;
  secret: string;
  /** One for each event type: the resource, and its status right after. */
  happened: readonly { type: string; id: string; status: string }[];
  /** Every attempt for one of them, in the order of arrival. */
  attemptsFor(type: string): Delivery[];
  /** How many attempts there were for a resource. */
  attemptsAbout(id: string): number;
}

/** Types whose first attempt is refused when there is time to see the second. */
export const REFUSED_ONCE: Readonly<Record<string, number>> = { "order.created": 500, "shipment.created": 302 };

// A dispatcher runs every minute, and a first retry comes a minute later.
const DELIVERED_MS = 150_000;
const RETRIED_MS = 300_000;

/** Subscribes, makes everything happen that there are events for, and waits for their deliveries. */
export async function watchDeliveries(
  api: Api,
  plans: Plans,
  listener: Listener,
  { slow, stop }: { slow: boolean; stop: AbortSignal },
): Promise<Watched> {
  if (!(await listener.isReached())) throw new NotJudged("--webhook-url does not reach this listener");
  const created = await api.post("/webhooks", { url: listener.url, events: EVENTS }, plans.keyOf("deliveries"));
  const { id: subscriptionId, secret } = given(created);
  if (slow) listener.answerWith((delivery) => firstStatus(listener, delivery));
  const happened = await makeEverythingHappen(api, plans);

  const about = (id: string) => listener.deliveries.filter(({ body }) => idIn(body) === id);
  const attemptsFor = (type: string) => {
    const id = happened.find((one) => one.type === type)?.id;
    return id === undefined ? [] : about(id).filter(({ body }) => parsed(body)?.type === type);
  };
  const arrived = () => EVENTS.every((type) => attemptsFor(type).length >= (slow && type in REFUSED_ONCE ? 2 : 1));
  const end = Date.now() + (slow ? RETRIED_MS : DELIVERED_MS);
  while (!arrived() && Date.now() < end) await wait(100, undefined, { signal: stop });
  return { subscriptionId, secret, happened, attemptsFor, attemptsAbout: (id) => about(id).length };
}

async function makeEverythingHappen(api: Api, { record, keyOf }: Plans): Promise<Watched["happened"]> {
  const order = given(await api.post("/orders", record, keyOf("event-order")));
  const shipment = given(await api.post("/shipments", record, keyOf("event-shipment")));
  const labelBody = { shipment_id: shipment.id, rate_id: `rate_test_${shipment.id}` };
  given(await api.post("/rates", { shipment_id: shipment.id }, keyOf("event-rates")));
  const label = given(await api.post("/labels", labelBody, keyOf("event-label")));
  const voided = given(await api.post(`/labels/${label.id}/void`, {}, keyOf("event-void")));
  const resources = [order, shipment, label, voided];
  return EVENTS.map((type, index) => ({ type, id: resources[index].id, status: resources[index].status }));
}

function firstStatus(listener: Listener, { body }: Delivery): number {
  const { id, type } = parsed(body) ?? {};
  const attempts = listener.deliveries.filter((delivery) => parsed(delivery.body)?.id === id).length;
  return attempts === 1 ? (REFUSED_ONCE[type ?? ""] ?? 204) : 204;
}

/** The event in a body, if it is one. */
export function parsed(body: Buffer): { id?: string; type?: string; data?: { id?: string } } | undefined {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const idIn = (body: Buffer) => parsed(body)?.data?.id;
