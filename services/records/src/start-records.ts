import { fileURLToPath } from "node:url";
import { startLoop } from "@shipping/kit/process/loop";
import { createPublisher, type PublisherParts } from "@shipping/kit/service/publisher";
import type { Service } from "@shipping/kit/service/run-service";
import { recordsPeers, recordsRoutes } from "./rpc.js";
import { fillSearch } from "./search/fill-search.js";

export const recordsMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

// A record is found a second after its creation at the latest.
const FILL_SEARCH_MS = 500;

/** Starts records: its RPCs, the relay of its events, and the worker that fills the search. */
export async function startRecords(parts: PublisherParts): Promise<Service> {
  const { deps, metrics } = createPublisher("records", parts);
  deps.outbox.start();
  const search = startLoop({ name: "fill search", everyMs: FILL_SEARCH_MS, log: parts.log, once: fillSearch(deps) });
  return {
    routes: recordsRoutes(deps),
    peers: recordsPeers,
    metrics,
    stop: async () => void (await Promise.all([deps.outbox.stop(), search.stop()])),
  };
}
