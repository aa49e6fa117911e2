import { startLoop } from "@shipping/kit/process/loop";
import { createPublisher, type PublisherParts } from "@shipping/kit/service/publisher";
import type { Service } from "@shipping/kit/service/run-service";
import { recordsPeers, recordsRoutes } from "./rpc.js";
import { hashCounted, type RecordsDeps } from "./search/hash-recent.js";

const HASH_RECENT_MS = 500;

/** Starts records: its RPCs, the relay of its events, and the worker that fills the search. */
export async function startRecords(parts: PublisherParts): Promise<Service> {
  const { deps: publisher, metrics } = createPublisher("records", parts);
  const deps: RecordsDeps = { ...publisher, ownersToCount: new Map() };
  deps.outbox.start();
  const once = (isStopping: () => boolean) => hashCounted(deps, isStopping);
  const search = startLoop({ name: "hash recent", everyMs: HASH_RECENT_MS, log: parts.log, once });
  return {
    routes: recordsRoutes(deps),
    peers: recordsPeers,
    metrics,
    stop: async () => void (await Promise.all([deps.outbox.stop(), search.stop()])),
  };
}
