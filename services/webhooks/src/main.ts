import "@shipping/kit/require-node";
import { busConnectionOf } from "@shipping/kit/bus-connection";
import { faultsOf } from "@shipping/kit/faults";
import { pooledRandom } from "@shipping/kit/ids";
import { createJetStreamBus } from "@shipping/kit/jetstream-bus";
import { createLog } from "@shipping/kit/log";
import { configured } from "@shipping/kit/process";
import { runService } from "@shipping/kit/run-service";
import { tlsOf } from "@shipping/kit/tls";
import { webhooksConfig } from "./config.js";
import { startWebhooks, webhooksMigrations } from "./start-webhooks.js";

const config = configured(webhooksConfig);
const log = createLog({ part: "webhooks", level: config.LOG_LEVEL });
const tls = configured(() => tlsOf(config, log));
const faults = configured(() => faultsOf(config));
const bus = createJetStreamBus({
  ...busConnectionOf(config, { name: "webhooks", log }),
  replicas: config.NATS_REPLICAS,
});

await runService({
  part: "webhooks",
  config,
  log,
  tls,
  migrations: webhooksMigrations,
  start: (db) => startWebhooks({ config, db, bus, log, now: () => new Date(), random: pooledRandom, faults }),
  closeLast: [bus],
});
