import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Api } from "./api.js";
import { EVENTS, type Inputs } from "./fixtures.js";
import { given, NotJudged } from "./judge.js";

const REDIRECTED = "?redirected";

export interface Delivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Unix seconds. */
  arrived: number;
}

export interface Listener {
  url: string;
  deliveries: readonly Delivery[];
  /** Sets the status of later responses. The default is 204. */
  answerWith(statusFor: (delivery: Delivery) => number): void;
  /** Whether the public URL leads to this listener. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

/** Listens at `address` (`host:port`); `url` is its public URL. */
export async function openListener(address: string, url: string): Promise<Listener> {
  const nonce = randomUUID();
  const deliveries: Delivery[] = [];
  let statusFor: (delivery: Delivery) => number = () => 204;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === "GET") return response.end(nonce);
    // The platform followed the redirect. This does not count as another attempt.
    if (request.url?.endsWith(REDIRECTED)) return response.writeHead(204).end();
    const delivery = { headers: request.headers, body: Buffer.concat(chunks), arrived: Date.now() / 1000 };
    deliveries.push(delivery);
    const status = statusFor(delivery);
    return response.writeHead(status, status === 302 ? { Location: url + REDIRECTED } : {}).end();
  });
  const at = new URL(`http://${address}`);
  server.listen(Number(at.port), at.hostname.replace(/[[\]]/g, ""));
  await once(server, "listening");

  return {
    url,
    deliveries,
    answerWith(decide) {
      statusFor = decide;
    },
    async isReachable() {
      try {
        const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
        return (await response.text()) === nonce;
      } catch {
        return false;
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Watched {
  subscriptionId: string;
  secret: string;
  /** For each event type: the ID of the resource, and its status at that time. */
  happened: readonly { type: string; id: string; status: string }[];
  /** All attempts for an event type, in order of arrival. */
  attemptsFor(type: string): Delivery[];
  /** The number of attempts for a resource. */
  attemptsAbout(id: string): number;
}

/** The statuses of the first attempts for these types, if --slow is given. */
export const REFUSED_ONCE: Readonly<Record<string, number>> = { "order.created": 500, "shipment.created": 302 };

// The dispatcher runs every minute, and the first retry is a minute later.
const DELIVERED_MS = 150_000;
const RETRIED_MS = 300_000;

/** Subscribes, causes an event of each type, and waits for the deliveries. */
export async function watchDeliveries(
  api: Api,
  inputs: Inputs,
  listener: Listener,
  { slow, stop }: { slow: boolean; stop: AbortSignal },
): Promise<Watched> {
  if (!(await listener.isReachable())) throw new NotJudged("--webhook-url does not reach this listener");
  const created = await api.post("/webhooks", { url: listener.url, events: EVENTS }, inputs.keyOf("deliveries"));
  const { id: subscriptionId, secret } = given(created);
  if (slow) listener.answerWith((delivery) => firstStatus(listener, delivery));
  const happened = await makeEverythingHappen(api, inputs);

  const about = (id: string) => listener.deliveries.filter(({ body }) => idIn(body) === id);
  const attemptsFor = (type: string) => {
    const id = happened.find((one) => one.type === type)?.id;
    return id === undefined ? [] : about(id).filter(({ body }) => parseEvent(body)?.type === type);
  };
  const arrived = () => EVENTS.every((type) => attemptsFor(type).length >= (slow && type in REFUSED_ONCE ? 2 : 1));
  const end = Date.now() + (slow ? RETRIED_MS : DELIVERED_MS);
  while (!arrived() && Date.now() < end) await wait(100, undefined, { signal: stop });
  return { subscriptionId, secret, happened, attemptsFor, attemptsAbout: (id) => about(id).length };
}

async function makeEverythingHappen(api: Api, { record, keyOf }: Inputs): Promise<Watched["happened"]> {
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
  const { id, type } = parseEvent(body) ?? {};
  const attempts = listener.deliveries.filter((delivery) => parseEvent(delivery.body)?.id === id).length;
  return attempts === 1 ? (REFUSED_ONCE[type ?? ""] ?? 204) : 204;
}

export function parseEvent(body: Buffer): { id?: string; type?: string; data?: { id?: string } } | undefined {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const idIn = (body: Buffer) => parseEvent(body)?.data?.id;
