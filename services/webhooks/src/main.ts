import "@shipping/kit/process/require-node";
import { busConnectionOptions } from "@shipping/kit/events/bus-connection";
import { pooledRandom } from "@shipping/kit/ids";
import { configured } from "@shipping/kit/process/run-process";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { webhooksConfig } from "./config.js";
import { webhooksMigrations } from "./operator/account-data.js";
import { startWebhooks } from "./start-webhooks.js";
import { createJetStreamBus } from "./stream/jetstream-bus.js";
import { toApiPrefix } from "./stream/settings.js";

const service = configureProcess("webhooks", webhooksConfig);
const { config, log } = service;
const bus = createJetStreamBus({
  ...busConnectionOptions(config, { name: "webhooks", log }),
  apiPrefix: configured(() => toApiPrefix(config)),
  limits: {
    replicas: config.NATS_REPLICAS,
    maxBytes: config.NATS_STREAM_MAX_BYTES,
    duplicateWindowMs: config.NATS_DUPLICATE_WINDOW_SECONDS * 1_000,
    maxAckPending: config.NATS_MAX_ACK_PENDING,
  },
});

await runService({
  ...service,
  migrations: webhooksMigrations,
  start: (db) => startWebhooks({ config, db, bus, log, now: () => new Date(), random: pooledRandom }),
  closeLast: [bus],
});
