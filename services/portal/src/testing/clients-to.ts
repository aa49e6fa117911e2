import { createRouterTransport, type Transport } from "@connectrpc/connect";
import { createClients } from "../clients.js";

/** Clients of all parts. One transport answers for all of them; without one, no part answers. */
export function clientsTo(transport: Transport = createRouterTransport(() => {})) {
  return createClients({
    gateway: transport,
    records: transport,
    carrier: transport,
    tracking: transport,
    webhooks: transport,
  });
}
