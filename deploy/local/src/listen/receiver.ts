import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { verifySignature } from "@shipping/webhooks/dispatch/signature";

/** A delivery as a receiver sees it. */
export interface ReceivedEvent {
  id: string;
  type: string;
  livemode: boolean;
  created_at: string;
  data: { id: string; object: string; status: string };
  /** The time of arrival, in milliseconds of `performance.now()`. */
  arrivedMs: number;
}

/** The result of a request: an event, `again` if its id is known, or the reason for refusing it. */
type Finding = { event: ReceivedEvent; again: boolean } | { refusal: string };

/** A complete request, its time of arrival, and the event ID from its header, which is not verified. */
export type Delivery = Finding & { at: Date; claimedId: string };

/** A webhook receiver on loopback that accepts only valid signatures, as an integrator's would. */
export interface Receiver {
  url: string;
  /** The events with a valid signature, each ID once, in the order of arrival. */
  readonly events: readonly ReceivedEvent[];
  readonly refused: number;
  /** Also accepts signatures by this secret. */
  trust(secret: string): void;
  /** Resolves with the first matching event, or rejects after `withinMs`. */
  waitFor(fits: (event: ReceivedEvent) => boolean, withinMs?: number): Promise<ReceivedEvent>;
  close(): Promise<void>;
}

/** Opens the receiver, on a free port unless one is given. `onDelivery` is called for every request before it is answered. */
export async function openReceiver(
  options: { port?: number; onDelivery?(delivery: Delivery): void } = {},
): Promise<Receiver> {
  const events: ReceivedEvent[] = [];
  const known = new Set<string>();
  const waiting = new Set<() => void>();
  const secrets: string[] = [];
  let refused = 0;

  function take(header: string, body: Buffer): Finding {
    const refusal = findRefusal(secrets, header, body, Math.floor(Date.now() / 1000));
    if (refusal) return { refusal };
    const event = eventIn(body);
    if (!event) return { refusal: "the signature is valid, but the body is not an event" };
    const again = known.has(event.id);
    if (!again) events.push(event);
    known.add(event.id);
    return { event, again };
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const taken = take(String(request.headers["service-signature"] ?? ""), Buffer.concat(chunks));
      if ("refusal" in taken) refused++;
      options.onDelivery?.({ at: new Date(), claimedId: String(request.headers["service-event-id"] ?? ""), ...taken });
      response.writeHead("refusal" in taken ? 400 : 204).end();
      for (const check of waiting) check();
    });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");

  function waitFor(fits: (event: ReceivedEvent) => boolean, withinMs = 5_000): Promise<ReceivedEvent> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = events.find(fits);
        if (found) settle(() => resolve(found));
      };
      const limit = setTimeout(() => settle(() => reject(new Error(`No such event within ${withinMs} ms.`))), withinMs);
      const settle = (end: () => void) => {
        clearTimeout(limit);
        waiting.delete(check);
        end();
      };
      waiting.add(check);
      check();
    });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    events,
    get refused() {
      return refused;
    },
    trust: (secret) => void secrets.push(secret),
    waitFor,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the reason why a signature is invalid, as far as it can be determined; undefined if the signature is valid. */
function findRefusal(secrets: readonly string[], header: string, body: Buffer, now: number): string | undefined {
  const holdsAt = (seconds: number) => secrets.some((secret) => verifySignature(secret, header, body, seconds));
  if (holdsAt(now)) return undefined;
  if (header === "") return "no Service-Signature header";
  const time = Number(/^t=(\d{1,12}),v1=[0-9a-f]{64}$/.exec(header)?.[1]);
  if (Number.isNaN(time)) return "the Service-Signature header is malformed";
  if (!holdsAt(time)) return "the signature does not match: wrong secret, or the body was changed";
  return `signed ${Math.abs(now - time)} s ${time < now ? "ago" : "in the future"} according to this machine's clock`;
}

function eventIn(body: Buffer): ReceivedEvent | undefined {
  try {
    const event = JSON.parse(body.toString());
    const isEvent = typeof event.id === "string" && typeof event.data.id === "string";
    return isEvent ? { ...event, arrivedMs: performance.now() } : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a delivery as a line: its time, event, resource and status, and whether its signature is valid. */
export function formatDelivery(delivery: Delivery): string {
  const time = delivery.at.toISOString().slice(11);
  if ("refusal" in delivery) {
    // This ID is not verified, so it is shown only if it has the form of an ID.
    const id = /^evt_[a-z2-7]{26}$/.test(delivery.claimedId) ? delivery.claimedId : "an unknown event";
    return `${time}  ${id.padEnd(30)}  REFUSED with 400: ${delivery.refusal}`;
  }
  const { id, type, data } = delivery.event;
  const known = delivery.again ? ", received before" : "";
  return `${time}  ${id}  ${type.padEnd(16)}  ${data.id}  ${data.status.padEnd(13)}  signature ok${known}`;
}
