import "@shipping/kit/process/require-node";
import { createClient } from "@connectrpc/connect";
import { busConnectionOptions } from "@shipping/kit/events/bus-connection";
import { createJetStreamPublisher } from "@shipping/kit/events/jetstream-publisher";
import { pooledRandom } from "@shipping/kit/ids";
import { connectTo } from "@shipping/kit/rpc/client";
import { askSubscriber } from "@shipping/kit/service/publisher";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { recordsMigrations } from "./account-data.js";
import { recordsConfig } from "./config.js";
import { startRecords } from "./start-records.js";

const service = configureProcess("records", recordsConfig);
const { config, log, tls } = service;
const webhooks = connectTo({ urls: config.WEBHOOKS_URL, log, tls });
const subscriber = createClient(WebhooksService, webhooks);
const connection = busConnectionOptions(config, { name: "records", log });
const bus = createJetStreamPublisher({ ...connection, askSubscriber: () => askSubscriber(subscriber) });

await runService({
  ...service,
  migrations: recordsMigrations,
  start: (db) =>
    startRecords({
      db,
      bus,
      subscriber,
      log,
      now: () => new Date(),
      random: pooledRandom,
    }),
  closeLast: [bus, webhooks],
});
