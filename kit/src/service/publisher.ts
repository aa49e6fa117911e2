import type { CallOptions } from "@connectrpc/connect";
import { type Bus, measureBus, type StreamState } from "../events/bus.js";
import type { Random } from "../ids.js";
import type { DerivedEventsDeps } from "../ledger/derived-events.js";
import { createLedger, type Ledger } from "../ledger/ledger.js";
import { createOutbox, measureOutbox, type Outbox, type OutboxOptions } from "../ledger/outbox.js";
import type { Published } from "../ledger/reconcile-outbox.js";
import type { Database } from "../postgres/database.js";
import type { Log } from "../process/log.js";
import { createMetrics, type Metrics } from "../process/metrics.js";

type ArrivedRequest = Parameters<DerivedEventsDeps["listArrived"]>[0];

// The time-out keeps a replica that hangs from delaying the reconciliation indefinitely.
const ASK_MS = 5_000;

const ASK_STREAM_MS = 1_000;

/** Asks the service that receives the events who owns the stream. */
export async function askSubscriber(subscriber: {
  getStream(request: object, options: CallOptions): Promise<Omit<StreamState, "whose"> & { whose: string }>;
}): Promise<StreamState> {
  const { whose, ...said } = await subscriber.getStream({}, { timeoutMs: ASK_STREAM_MS });
  return { ...said, whose: whose === "own" || whose === "another" ? whose : "unknown" };
}

/** The components with which a service stores the results of writes and publishes their events. */
export interface PublisherParts {
  db: Database;
  bus: Bus;
  /** The client of the service that receives the events. */
  subscriber: {
    filterMissing(request: { events: Published[] }, options: CallOptions): Promise<{ missingEventIds: string[] }>;
    listArrived(request: ArrivedRequest, options: CallOptions): ReturnType<DerivedEventsDeps["listArrived"]>;
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

/** Asks the subscriber about events, to compare them with the records that have caused them. */
export function derivedEventsDeps({ db, subscriber, now }: Pick<PublisherParts, "db" | "subscriber" | "now">) {
  const options = { timeoutMs: ASK_MS };
  return {
    ...{ db, now },
    filterMissing: async (events: readonly Published[]) =>
      (await subscriber.filterMissing({ events: [...events] }, options)).missingEventIds,
    listArrived: (asked: ArrivedRequest) => subscriber.listArrived(asked, options),
  } satisfies DerivedEventsDeps;
}

/**
 * Creates the ledger, the outbox and the metrics of a service; `marks` are additional marks in the rows of the outbox. The caller starts
 * the outbox.
 */
export function createPublisher(
  part: string,
  parts: PublisherParts,
  marks?: Required<Pick<OutboxOptions, "alsoSet" | "deletable">>,
): { deps: PublisherDeps; metrics: Metrics } {
  const { db, bus, log, now, random } = parts;
  const { filterMissing } = derivedEventsDeps(parts);
  const outbox = createOutbox({ db, bus, log, filterMissing, ...marks });
  const metrics = createMetrics({ part, log });
  measureBus(metrics, bus);
  measureOutbox(metrics, outbox);
  return { deps: { db, ledger: createLedger(db), outbox, log, now, random }, metrics };
}
