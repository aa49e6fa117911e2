import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A receiver's treatment of every request. */
export type Manner = "answers" | "refuses" | "resets" | "hangs";

/** A request as it arrived, at a time of `performance.now()`. */
export interface Arrival {
  eventId: string;
  signature: string;
  body: Buffer;
  atMs: number;
  /** The ID of the event's resource. */
  resourceId(): string;
}

/** An endpoint on loopback that records its requests. */
export interface EventReceiver {
  url: string;
  arrivals: readonly Arrival[];
  close(): Promise<void>;
}

const MANNERS: Record<Manner, (response: ServerResponse) => void> = {
  answers: (response) => response.writeHead(204).end(),
  refuses: (response) => response.writeHead(500).end(),
  resets: (response) => response.socket?.resetAndDestroy(),
  hangs: () => {},
};

/** Opens it. A receiver that responds does so after `delayMs`. */
export async function openEventReceiver(options: { manner?: Manner; delayMs?: number } = {}): Promise<EventReceiver> {
  const { manner = "answers", delayMs = 0 } = options;
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const atMs = performance.now();
      const body = Buffer.concat(chunks);
      const header = (name: string) => String(request.headers[name] ?? "");
      const [eventId, signature] = [header("service-event-id"), header("service-signature")];
      arrivals.push({ eventId, signature, body, atMs, resourceId: () => JSON.parse(body.toString()).data.id });
      if (delayMs === 0) MANNERS[manner](response);
      else setTimeout(MANNERS[manner], delayMs, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    arrivals,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
