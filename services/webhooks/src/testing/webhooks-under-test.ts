import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Caller, Claim } from "@shipping/kit/caller";
import { createLocalBus } from "@shipping/kit/events/bus";
import { newId } from "@shipping/kit/ids";
import { newEvent } from "@shipping/kit/ledger/outbox";
import type { Database } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { testDatabase } from "@shipping/kit/testing/database";
import { newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import {
  CreateSubscriptionRequestSchema,
  DisableSubscriptionRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { DeliveryConfig } from "../config.js";
import type { DispatchDeps } from "../dispatch/deps.js";
import { webhooksMigrations } from "../operator/account-data.js";
import { makeDeps, startWebhooks, type WebhooksParts } from "../start-webhooks.js";
import { createSubscription } from "../subscriptions/create-subscription.js";
import { type Receiver, startReceiver } from "./receiver.js";
import { certificate } from "./receiver-certificate.js";

/** The settings of a trial on one machine. */
const trialConfig: DeliveryConfig = {
  SECRETS_KEYS: [{ id: "k1", key: randomBytes(32) }],
  MAX_ATTEMPTS_IN_FLIGHT: 64,
  EGRESS_DENY_RANGES: [],
  NAT64_PREFIXES: [],
  WEBHOOK_ALLOW_PRIVATE_TARGETS: true,
  WEBHOOK_ALLOW_TARGETS: [],
  CLOCK_SPEEDUP: 1,
  INSTALLATION_NAME: "test",
  RETENTION_DAYS: 30,
  AUDIT_RETENTION_DAYS: 400,
  NODE_ENV: "test",
};

/** Overrides for one replica. */
export type ReplicaOptions = Partial<Omit<WebhooksParts, "config">> & { config?: Partial<DeliveryConfig> };

type Hook = (run: () => Promise<void>) => void;

/**
 * Webhooks on a database of its own, in any number of replicas: one for all tests of a file with `beforeAll` and `afterAll`, or one for each
 * test. `atEnd` is called before the database is dropped.
 */
export function webhooksUnderTest(before: Hook, after: Hook, atEnd = async (_db: Database): Promise<void> => {}) {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let ends: (() => unknown)[] = [];
  const partsOf = ({ config, ...parts }: ReplicaOptions): WebhooksParts => ({
    db: database.db,
    bus: createLocalBus(),
    log: silentLog(),
    now: () => new Date(),
    random: randomBytes,
    ca: certificate,
    ...parts,
    config: { ...trialConfig, ...config },
  });

  /** The dependencies of the operations, without loops: a test calls what should happen. */
  function replica(options: ReplicaOptions = {}): DispatchDeps {
    const deps = makeDeps(partsOf(options), () => {});
    ends.push(async () => {
      deps.connections.destroy();
      await deps.attempts.stop(0, () => {});
    });
    return deps;
  }

  /** A replica that accepts and never sends, because its slots are closed. */
  function idle(options: ReplicaOptions = {}): DispatchDeps {
    const deps = replica(options);
    deps.attempts.claimNoMore();
    return deps;
  }

  /** The whole service with its loops, and the bus that feeds it. It is stopped once, at the end at the latest. */
  async function running(options: ReplicaOptions = {}) {
    const parts = partsOf(options);
    const service = await startWebhooks(parts);
    let stopped: Promise<void> | undefined;
    const stop = (fast?: boolean) => {
      stopped ??= service.stop(fast);
      return stopped;
    };
    ends.push(() => stop(true));
    return { bus: parts.bus, routes: service.routes, metrics: service.metrics, stop };
  }

  /** A receiver that is closed at the end at the latest, before the attempts to it are awaited. */
  async function receiver(...options: Parameters<typeof startReceiver>): Promise<Receiver> {
    const started = await startReceiver(...options);
    ends.push(started.close);
    return started;
  }

  before(async () => {
    database = await testDatabase({ directory: webhooksMigrations });
    ends = [];
  });
  after(async () => {
    try {
      await Promise.all(ends.map((one) => one()));
      await atEnd(database.db);
    } finally {
      await database.drop();
    }
  });

  return {
    get db() {
      return database.db;
    },
    get url() {
      return database.url;
    },
    ...{ partsOf, replica, idle, running, receiver },
  };
}

/** Who makes a request, for the audit log. */
type Who = { name: string; source: string };
const ADA: Who = { name: "ada@example.com", source: "192.0.2.1" };

export function createRequest(
  caller: Caller,
  extra: { url?: string; events?: string[]; claim?: Claim; actor?: Who } = {},
) {
  const given = { url: "https://example.com/hook", events: ["shipment.created"], claim: newClaim(), actor: ADA };
  return create(CreateSubscriptionRequestSchema, { caller, ...given, ...extra });
}

export function disableRequest(caller: Caller, id: string, claim = newClaim(), actor: Who = ADA) {
  return create(DisableSubscriptionRequestSchema, { caller, claim, id, actor });
}

/** A subscription of that caller, with its secret. */
export async function subscribe(
  deps: DispatchDeps,
  caller: Caller,
  url: string,
  events = ["shipment.created"],
): Promise<{ id: string; secret: string }> {
  return toSnapshot(await createSubscription(deps, createRequest(caller, { url, events }))).json;
}

/** An event as its owner would commit it. */
export function eventFor(caller: Caller, type = "shipment.created"): Event {
  const data = JSON.stringify({ id: newId("shp", randomBytes), object: "shipment", status: "draft" });
  return newEvent({ type, caller, data, now: new Date(), random: randomBytes });
}

export const eventsFor = (caller: Caller, count: number): Event[] =>
  Array.from({ length: count }, () => eventFor(caller));
