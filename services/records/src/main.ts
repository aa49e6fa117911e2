import "@shipping/kit/process/require-node";
import { createClient } from "@connectrpc/connect";
import { busConnectionOptions } from "@shipping/kit/events/bus-connection";
import { createJetStreamBus } from "@shipping/kit/events/jetstream-bus";
import { pooledRandom } from "@shipping/kit/ids";
import { createLog } from "@shipping/kit/process/log";
import { configured } from "@shipping/kit/process/run-process";
import { connectTo } from "@shipping/kit/rpc/client";
import { busWithFaultPoints, faultPointsOf } from "@shipping/kit/service/fault-points";
import { runService } from "@shipping/kit/service/run-service";
import { openTls } from "@shipping/kit/tls/tls";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { recordsConfig } from "./config.js";
import { recordsMigrations, startRecords } from "./start-records.js";

const config = configured(recordsConfig);
const log = createLog({ part: "records", level: config.LOG_LEVEL });
const tls = configured(() => openTls(config, log));
const faultPoints = configured(() => faultPointsOf(config));
const bus = busWithFaultPoints(createJetStreamBus(busConnectionOptions(config, { name: "records", log })), faultPoints);
const webhooks = connectTo({ urls: config.WEBHOOKS_URL, log, tls });

await runService({
  part: "records",
  config,
  log,
  tls,
  migrations: recordsMigrations,
  start: (db) =>
    startRecords({
      db,
      bus,
      webhooks: createClient(WebhooksService, webhooks),
      log,
      now: () => new Date(),
      random: pooledRandom,
      faultPoints,
    }),
  closeLast: [bus, webhooks],
});
