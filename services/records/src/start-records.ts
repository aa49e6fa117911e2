import { fileURLToPath } from "node:url";
import { startLoop } from "@shipping/kit/process/loop";
import { createPublisher, type PublisherParts } from "@shipping/kit/service/publisher";
import type { Service } from "@shipping/kit/service/run-service";
import { recordsPeers, recordsRoutes } from "./rpc.js";
import { fillSearch } from "./search/fill-search.js";
import { hashCrowded, type RecordsDeps } from "./search/recent.js";

export const recordsMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

const FILL_SEARCH_MS = 500;

/** Starts records: its RPCs, the relay of its events, and the worker that fills the search. */
export async function startRecords(parts: PublisherParts): Promise<Service> {
  const { deps: publisher, metrics } = createPublisher("records", parts);
  const deps: RecordsDeps = { ...publisher, crowded: new Map() };
  deps.outbox.start();
  const once = async (isStopping: () => boolean) => {
    await hashCrowded(deps, isStopping);
    await fillSearch(deps)(isStopping);
  };
  const search = startLoop({ name: "fill search", everyMs: FILL_SEARCH_MS, log: parts.log, once });
  return {
    routes: recordsRoutes(deps),
    peers: recordsPeers,
    metrics,
    stop: async () => void (await Promise.all([deps.outbox.stop(), search.stop()])),
  };
}
