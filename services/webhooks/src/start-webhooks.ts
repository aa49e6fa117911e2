import { EventEmitter } from "node:events";
import { measureBus } from "@shipping/kit/events/bus";
import type { Random } from "@shipping/kit/ids";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { backgroundBatch } from "@shipping/kit/postgres/background-batch";
import type { Database } from "@shipping/kit/postgres/database";
import { microBatch } from "@shipping/kit/postgres/micro-batch";
import type { Log } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import type { Service } from "@shipping/kit/service/run-service";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { DeliveryConfig } from "./config.js";
import { ACCEPT_BATCH, acceptEvents, deadLetterEvent } from "./dispatch/accept-event.js";
import { attemptDelivery } from "./dispatch/attempt-delivery.js";
import { createAttempts } from "./dispatch/attempts.js";
import { type Completion, completeDeliveries, type Ended } from "./dispatch/complete-delivery.js";
import type { AttemptDeps, DispatchDeps } from "./dispatch/deps.js";
import { dispatchOnce } from "./dispatch/dispatch-deliveries.js";
import { createWebhooksMetrics } from "./dispatch/metrics.js";
import { MAX_IN_FLIGHT, measureBacklog } from "./dispatch/ready-queue.js";
import { sweepOnce } from "./dispatch/sweep-deliveries.js";
import { createTargets } from "./dispatch/targets.js";
import { createResolve, type Resolve } from "./egress/egress-guard.js";
import { createGuardedConnections } from "./egress/guarded-connections.js";
import { expireOnce } from "./events/expire-events.js";
import { createOwnerRecord } from "./events/stream-owner.js";
import { createHealthKeeper, sweepHoursOnce } from "./health/keep-health.js";
import { webhooksPeers, webhooksRoutes } from "./rpc.js";
import { measureInbox, type SubscribableBus } from "./stream/inbox.js";
import { expireChangesOnce, measureChanges } from "./subscriptions/changes.js";
import { createKeyRing, ledgerCodec } from "./subscriptions/key-ring.js";
import { requireKeys } from "./subscriptions/rotate-secrets.js";

export interface WebhooksParts {
  config: DeliveryConfig;
  db: Database;
  bus: SubscribableBus;
  log: Log;
  now(): Date;
  random: Random;
  clockOffsetMs?: number;
  resolve?: Resolve;
  /** Certificate authorities that receivers are verified with, instead of the well-known ones. */
  ca?: string;
}

/** The most results of attempts that one statement stores. */
const COMPLETE_BATCH = 1024;
const POLL_MS = 250;
const MIN_POLL_MS = 100;
const SWEEP_MS = 1_000;
const EXPIRE_MS = 1_000;
const HEALTH_MS = 1_000;
const SWEEP_OLD_MS = 60_000;
const STOP_MS = 11_000;
const FAST_STOP_MS = 2_000;

/** Starts webhooks: its RPCs, the inbox of events, and the dispatcher. */
export async function startWebhooks(parts: WebhooksParts): Promise<Service> {
  const { bus, config, log } = parts;
  const signals = new EventEmitter<{ due: [] }>();
  const deps = makeDeps(parts, () => signals.emit("due"));
  await requireKeys(deps);
  measureBus(deps.metrics, bus);
  measureBacklog(deps);
  measureChanges(deps);
  const dispatchAll = async (isStopping: () => boolean) => {
    while (!isStopping() && (await dispatchOnce(deps)) > 0);
  };
  // Polling is only a backstop, but waits that `CLOCK_SPEEDUP` has shortened to seconds should not be late by a quarter of a second.
  const everyMs = Math.max(MIN_POLL_MS, POLL_MS / config.CLOCK_SPEEDUP);
  const dispatcher = startLoop({ name: "dispatch", everyMs, log, once: dispatchAll });
  signals.on("due", dispatcher.wake);
  const sweeper = startLoop({ name: "sweep", everyMs: SWEEP_MS, log, once: () => sweepOnce(deps) });
  const expirer = startLoop({ name: "expire", everyMs: EXPIRE_MS, log, once: () => expireOnce(deps) });
  const health = startLoop({ name: "health", everyMs: HEALTH_MS, log, once: () => deps.health.flushOnce() });
  const sweepOld = () => Promise.all([sweepHoursOnce(deps), expireChangesOnce(deps, config.AUDIT_RETENTION_DAYS)]);
  const old = startLoop({ name: "sweep-old", everyMs: SWEEP_OLD_MS, log, once: sweepOld });

  const accept = microBatch<Event, void>({
    concurrency: 1,
    max: ACCEPT_BATCH,
    waitMs: Number.POSITIVE_INFINITY,
    keyOf: (event) => event.id,
    run: async (events) => {
      await acceptEvents(deps, events);
    },
  });
  let foreign = 0;
  const inbox = await bus.subscribe({
    durable: "webhooks",
    installation: { name: config.INSTALLATION_NAME, record: createOwnerRecord(deps) },
    onForeign: () => {
      foreign++;
      deps.metrics.countForeign();
    },
    onEvent: accept,
    onDeadLetter: (...refused) => deadLetterEvent(deps, ...refused),
  });
  measureInbox(deps.metrics, inbox.state);

  return {
    routes: webhooksRoutes(deps, { inbox, foreignEvents: () => foreign }),
    peers: webhooksPeers,
    metrics: deps.metrics,
    async stop(fast = false) {
      // Claims end first: with a large backlog, neither the dispatcher nor the inbox would finish otherwise.
      deps.attempts.claimNoMore();
      await inbox.stop();
      await Promise.all([dispatcher, sweeper, expirer, old].map((loop) => loop.stop()));
      await deps.attempts.stop(fast ? FAST_STOP_MS : STOP_MS, () => deps.connections.destroy());
      await health.stop();
      await deps.health.flushOnce().catch((err) => log.warn({ err }, "webhook health of the last second not saved"));
      deps.connections.destroy();
    },
  };
}

export function makeDeps(parts: WebhooksParts, wakeDispatcher: () => void): DispatchDeps {
  const { config, db, log, now, random, clockOffsetMs = 0, resolve = createResolve(), ca } = parts;
  const keyRing = createKeyRing(config.SECRETS_KEYS, random);
  const egressRules = {
    allowPrivate: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
    allowTargets: config.WEBHOOK_ALLOW_TARGETS,
    denyRanges: config.EGRESS_DENY_RANGES,
  };
  const deps: AttemptDeps = {
    db,
    ledger: createLedger(db, ledgerCodec(keyRing)),
    keyRing,
    targets: createTargets(keyRing),
    egressRules,
    connections: createGuardedConnections({
      rules: egressRules,
      resolve,
      nat64Prefixes: config.NAT64_PREFIXES,
      proxyUrl: config.EGRESS_PROXY_URL,
      ...(ca === undefined ? {} : { ca }),
    }),
    retentionDays: config.RETENTION_DAYS,
    clockSpeedup: config.CLOCK_SPEEDUP,
    clockOffsetMs,
    log,
    metrics: createWebhooksMetrics(log),
    health: createHealthKeeper(db),
    now,
    random,
    wakeDispatcher,
  };
  // Only the next attempt of a slot waits for a result, so a few results are stored without waiting for more.
  const few = Math.ceil(Math.min(MAX_IN_FLIGHT, config.MAX_ATTEMPTS_IN_FLIGHT) / 2);
  const complete = backgroundBatch<Ended, Completion | undefined>({
    concurrency: 2,
    max: COMPLETE_BATCH,
    enough: few,
    run: (ended) => completeDeliveries(deps, ended),
  });
  const attempts = createAttempts({
    max: config.MAX_ATTEMPTS_IN_FLIGHT,
    run: (claimed, claimedAt) => attemptDelivery(deps, complete, claimed, claimedAt),
    onFree: wakeDispatcher,
  });
  return Object.assign(deps, { attempts });
}
