import { fileURLToPath } from "node:url";
import { createPublisher, type PublisherParts } from "@shipping/kit/service/publisher";
import type { Service } from "@shipping/kit/service/run-service";
import { recordsPeers, recordsRoutes } from "./rpc.js";

export const recordsMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

/** Starts records: its RPCs, and the relay of its events. */
export async function startRecords(parts: PublisherParts): Promise<Service> {
  const { deps, metrics } = createPublisher("records", parts);
  deps.outbox.start();
  return { routes: recordsRoutes(deps), peers: recordsPeers, metrics, stop: () => deps.outbox.stop() };
}
