import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { webhooks } from "shipping-client";

/** Events that were verified, by the resource that they tell of, with the time in `performance.now()` at which the first was received, before it was verified. */
export interface VerifyingReceiver {
  url: string;
  arrivals: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** A receiver as the client's guide has it, on loopback. The last segment of the path says which of the secrets is the subscription's. */
export async function openVerifyingReceiver(secrets: readonly string[]): Promise<VerifyingReceiver> {
  const arrivals = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const receivedMs = performance.now();
    const secret = secrets[Number(request.url?.split("/").at(-1))] ?? "whsec_unknown";
    const body = Readable.toWeb(request);
    const event = await webhooks.verify(body, request.headers["service-signature"], secret).catch(() => undefined);
    // Whoever sends what is not signed does not get to send the rest of it.
    if (!event) return void response.writeHead(400, { connection: "close" }).end();
    const { id } = event.data as { id: string };
    if (!arrivals.has(id)) arrivals.set(id, receivedMs);
    response.writeHead(204).end();
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
