import { keepDerived } from "@shipping/kit/derived/keep-derived";
import { startLoop } from "@shipping/kit/process/loop";
import { createPublisher, derivedEventsDeps, type PublisherParts } from "@shipping/kit/service/publisher";
import type { Service } from "@shipping/kit/service/run-service";
import { derivedRows } from "./derived-rows.js";
import { recordsPeers, recordsRoutes } from "./rpc.js";
import { hashCounted, type RecordsDeps } from "./search/hash-recent.js";

const HASH_RECENT_MS = 500;

/** Starts records: its RPCs, the relay of its events, the worker that fills the search, and the walk through its derived rows. */
export async function startRecords(parts: PublisherParts): Promise<Service> {
  const { deps: publisher, metrics } = createPublisher("records", parts);
  const deps: RecordsDeps = { ...publisher, ownersToCount: new Map() };
  deps.outbox.start();
  const once = (isStopping: () => boolean) => hashCounted(deps, isStopping);
  const search = startLoop({ name: "hash recent", everyMs: HASH_RECENT_MS, log: parts.log, once });
  const derived = derivedRows(deps, derivedEventsDeps(parts));
  const keeping = keepDerived({ all: derived, log: parts.log, metrics, random: parts.random });
  return {
    routes: recordsRoutes(deps, derived),
    peers: recordsPeers,
    metrics,
    stop: async () => void (await Promise.all([deps.outbox.stop(), search.stop(), keeping.stop()])),
  };
}
