import "@shipping/kit/process/require-node";
import { busConnectionOptions } from "@shipping/kit/events/bus-connection";
import { createJetStreamBus } from "@shipping/kit/events/jetstream-bus";
import { pooledRandom } from "@shipping/kit/ids";
import { createLog } from "@shipping/kit/process/log";
import { configured } from "@shipping/kit/process/run-process";
import { faultPointsOf } from "@shipping/kit/service/fault-points";
import { runService } from "@shipping/kit/service/run-service";
import { openTls } from "@shipping/kit/tls/tls";
import { webhooksConfig } from "./config.js";
import { startWebhooks, webhooksMigrations } from "./start-webhooks.js";

const config = configured(webhooksConfig);
const log = createLog({ part: "webhooks", level: config.LOG_LEVEL });
const tls = configured(() => openTls(config, log));
const faultPoints = configured(() => faultPointsOf(config));
const bus = createJetStreamBus({
  ...busConnectionOptions(config, { name: "webhooks", log }),
  replicas: config.NATS_REPLICAS,
});

await runService({
  part: "webhooks",
  config,
  log,
  tls,
  migrations: webhooksMigrations,
  start: (db) => startWebhooks({ config, db, bus, log, now: () => new Date(), random: pooledRandom, faultPoints }),
  closeLast: [bus],
});
