import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { type Bus, measureBus, type StreamState } from "../events/bus.js";
import type { Random } from "../ids.js";
import { createLedger, type Ledger } from "../ledger/ledger.js";
import { createOutbox, measureOutbox, type Outbox, type OutboxOptions } from "../ledger/outbox.js";
import type { Published } from "../ledger/reconcile-outbox.js";
import type { Database } from "../postgres/database.js";
import type { Log } from "../process/log.js";
import { createMetrics, type Metrics } from "../process/metrics.js";

// A replica that hangs must not delay the reconciliation for ever.
const ASK_MS = 5_000;

const ASK_STREAM_MS = 1_000;

/** Asks the service that receives the events whose the stream is. One of an earlier release cannot say. */
export async function askSubscriber(subscriber: {
  getStream(request: object, options: CallOptions): Promise<Omit<StreamState, "whose"> & { whose: string }>;
}): Promise<StreamState | undefined> {
  try {
    const { whose, ...said } = await subscriber.getStream({}, { timeoutMs: ASK_STREAM_MS });
    return { ...said, whose: whose === "own" || whose === "another" ? whose : "unknown" };
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.Unimplemented) return undefined;
    throw error;
  }
}

/** What a service needs to store the results of writes and publish their events. */
export interface PublisherParts {
  db: Database;
  bus: Bus;
  /** The client of the service that receives the events. */
  subscriber: {
    filterMissing(request: { events: Published[] }, options: CallOptions): Promise<{ missingEventIds: string[] }>;
  };
  log: Log;
  now(): Date;
  random: Random;
}

/** The dependencies of its operations. */
export interface PublisherDeps extends Pick<PublisherParts, "db" | "log" | "now" | "random"> {
  ledger: Ledger;
  outbox: Outbox;
}

/** Creates the ledger, the outbox and the metrics of a service; `marks` are marks of its own in the rows of the outbox. Start the outbox. */
export function createPublisher(
  part: string,
  { db, bus, subscriber, log, now, random }: PublisherParts,
  marks?: Required<Pick<OutboxOptions, "alsoSet" | "deletable">>,
): { deps: PublisherDeps; metrics: Metrics } {
  const filterMissing = async (events: readonly Published[]) =>
    (await subscriber.filterMissing({ events: [...events] }, { timeoutMs: ASK_MS })).missingEventIds;
  const outbox = createOutbox({ db, bus, log, filterMissing, ...marks });
  const metrics = createMetrics({ part, log });
  measureBus(metrics, bus);
  measureOutbox(metrics, outbox);
  return { deps: { db, ledger: createLedger(db), outbox, log, now, random }, metrics };
}
