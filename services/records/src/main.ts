import "@shipping/kit/process/require-node";
import { createClient } from "@connectrpc/connect";
import { busConnectionOptions } from "@shipping/kit/events/bus-connection";
import { createJetStreamBus } from "@shipping/kit/events/jetstream-bus";
import { pooledRandom } from "@shipping/kit/ids";
import { connectTo } from "@shipping/kit/rpc/client";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { recordsConfig } from "./config.js";
import { recordsMigrations, startRecords } from "./start-records.js";

const service = configureProcess("records", recordsConfig);
const { config, log, tls } = service;
const bus = createJetStreamBus(busConnectionOptions(config, { name: "records", log }));
const webhooks = connectTo({ urls: config.WEBHOOKS_URL, log, tls });

await runService({
  ...service,
  migrations: recordsMigrations,
  start: (db) =>
    startRecords({
      db,
      bus,
      subscriber: createClient(WebhooksService, webhooks),
      log,
      now: () => new Date(),
      random: pooledRandom,
    }),
  closeLast: [bus, webhooks],
});
