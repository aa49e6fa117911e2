import { fileURLToPath } from "node:url";
import type { Client } from "@connectrpc/connect";
import type { Bus } from "@shipping/kit/events/bus";
import { measureBus } from "@shipping/kit/events/bus";
import type { Random } from "@shipping/kit/ids";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { createOutbox, measureOutbox } from "@shipping/kit/ledger/outbox";
import type { Published } from "@shipping/kit/ledger/reconcile-outbox";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { type FaultPoints, ledgerWithFaultPoints } from "@shipping/kit/service/fault-points";
import type { Service } from "@shipping/kit/service/run-service";
import type { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { recordsPeers, recordsRoutes } from "./rpc.js";

// A replica that hangs must not delay the reconciliation for ever.
const ASK_MS = 5_000;

/** The folder with the schema and migrations of records. */
export const recordsMigrations = fileURLToPath(new URL("../prisma", import.meta.url));

/** The dependencies of the records service. */
export interface RecordsParts {
  db: Database;
  bus: Bus;
  webhooks: Pick<Client<typeof WebhooksService>, "filterMissing">;
  log: Log;
  now(): Date;
  random: Random;
  /** Points at which a test can end the process. */
  faultPoints?: FaultPoints | undefined;
}

/** Starts records: its RPCs, and the relay of its events. */
export async function startRecords(parts: RecordsParts): Promise<Service> {
  const { db, bus, log, webhooks } = parts;
  const filterMissing = async (events: readonly Published[]) =>
    (await webhooks.filterMissing({ events: [...events] }, { timeoutMs: ASK_MS })).missingEventIds;
  const outbox = createOutbox({ db, bus, log, filterMissing });
  const metrics = createMetrics({ part: "records", log });
  measureBus(metrics, bus);
  measureOutbox(metrics, outbox);
  const deps = {
    db,
    ledger: ledgerWithFaultPoints(createLedger(db), parts.faultPoints),
    outbox,
    log,
    now: parts.now,
    random: parts.random,
  };
  outbox.start();
  return {
    routes: recordsRoutes(deps),
    peers: recordsPeers,
    metrics,
    async stop() {
      await outbox.stop();
    },
  };
}
