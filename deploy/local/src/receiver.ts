import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A delivery as a receiver sees it. */
export interface ReceivedEvent {
  id: string;
  type: string;
  livemode: boolean;
  created_at: string;
  data: { id: string; object: string; status: string };
  /** When it arrived, in milliseconds of `performance.now()`. */
  arrivedMs: number;
}

/** A webhook receiver on loopback that takes only what is signed properly, as an integrator's would. */
export interface Receiver {
  url: string;
  /** The events of good signature, each id once, in the order of arrival. */
  readonly events: readonly ReceivedEvent[];
  /** How many requests were refused for their signature or age. */
  readonly refused: number;
  /** From now on signatures are checked against this secret. */
  trust(secret: string): void;
  /** Resolves with the first event that fits, or rejects after `withinMs`. */
  waitFor(fits: (event: ReceivedEvent) => boolean, withinMs?: number): Promise<ReceivedEvent>;
  close(): Promise<void>;
}

const TOLERANCE_S = 300;

/** Opens it on a free port. */
export async function openReceiver(): Promise<Receiver> {
  const events: ReceivedEvent[] = [];
  const waiting = new Set<() => void>();
  const secrets: string[] = [];
  let refused = 0;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const header = String(request.headers["service-signature"] ?? "");
      if (!secrets.some((secret) => verify(secret, header, body))) {
        refused++;
        response.writeHead(400).end();
        return;
      }
      const event = { ...JSON.parse(body.toString()), arrivedMs: performance.now() } as ReceivedEvent;
      if (!events.some(({ id }) => id === event.id)) events.push(event);
      response.writeHead(204).end();
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function waitFor(fits: (event: ReceivedEvent) => boolean, withinMs = 5_000): Promise<ReceivedEvent> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = events.find(fits);
        if (found) settle(() => resolve(found));
      };
      const limit = setTimeout(() => settle(() => reject(new Error(`No such event within ${withinMs} ms.`))), withinMs);
      const settle = (end: () => void) => {
        clearTimeout(limit);
        waiting.delete(look);
        end();
      };
      waiting.add(look);
      look();
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

/** The specification's recipe: HMAC-SHA256 over timestamp, period and the exact body bytes, compared in constant time, at most five minutes old. */
function verify(secret: string, header: string, body: Buffer): boolean {
  const match = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header);
  if (!match?.[1] || !match[2]) return false;
  if (Math.abs(Date.now() / 1000 - Number(match[1])) > TOLERANCE_S) return false;
  const expected = createHmac("sha256", secret).update(`${match[1]}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(match[2], "hex"));
}
