import "@shipping/kit/process/require-node";
import { createClient } from "@connectrpc/connect";
import { busConnectionOf } from "@shipping/kit/events/bus-connection";
import { createJetStreamBus } from "@shipping/kit/events/jetstream-bus";
import { pooledRandom } from "@shipping/kit/ids";
import { createLog } from "@shipping/kit/process/log";
import { configured } from "@shipping/kit/process/run-process";
import { connectTo } from "@shipping/kit/rpc/client";
import { faultsOf, faultyBus } from "@shipping/kit/service/faults";
import { runService } from "@shipping/kit/service/run-service";
import { tlsOf } from "@shipping/kit/tls/tls";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { recordsConfig } from "./config.js";
import { recordsMigrations, startRecords } from "./start-records.js";

const config = configured(recordsConfig);
const log = createLog({ part: "records", level: config.LOG_LEVEL });
const tls = configured(() => tlsOf(config, log));
const faults = configured(() => faultsOf(config));
const bus = faultyBus(createJetStreamBus(busConnectionOf(config, { name: "records", log })), faults);
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
      faults,
    }),
  closeLast: [bus, webhooks],
});
