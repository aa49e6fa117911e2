import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { webhooks } from "shipping-client";

// A receiver from the client's guide, on loopback. It sends its URL, then each event's resource and the time of its receipt, before its
// verification. It gets the secrets of the subscriptions; the last segment of the path names the subscription's.
let secrets: readonly string[] = [];
process.on("message", (sent: string[]) => {
  secrets = sent;
});
process.on("disconnect", () => process.exit(0));
const server = createServer(async (request, response) => {
  const receivedMs = performance.timeOrigin + performance.now();
  const secret = secrets[Number(request.url?.split("/").at(-1))] ?? "whsec_unknown";
  const body = Readable.toWeb(request);
  const event = await webhooks.verify(body, request.headers["service-signature"], secret).catch(() => undefined);
  // Closes the connection of a client that sends an unsigned request, without reading the rest of it.
  if (!event) return void response.writeHead(400, { connection: "close" }).end();
  process.send?.([(event.data as { id: string }).id, receivedMs]);
  response.writeHead(204).end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/events`);
