import "@shipping/kit/process/require-node";
import { createClient } from "@connectrpc/connect";
import { busConnectionOptions } from "@shipping/kit/events/bus-connection";
import { createJetStreamPublisher } from "@shipping/kit/events/jetstream-publisher";
import { pooledRandom } from "@shipping/kit/ids";
import { connectTo } from "@shipping/kit/rpc/client";
import { askSubscriber } from "@shipping/kit/service/publisher";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { carrierMigrations } from "./account-data.js";
import { loadTrialCarrier } from "./carriers/trial-carrier.js";
import { carrierConfig } from "./config.js";
import { startCarrier } from "./start-carrier.js";

const service = configureProcess("carrier", carrierConfig);
const { config, log, tls } = service;
const trial = await loadTrialCarrier(config);
const records = connectTo({ urls: config.RECORDS_URL, log, tls });
const tracking = connectTo({ urls: config.TRACKING_URL, log, tls });
const webhooks = connectTo({ urls: config.WEBHOOKS_URL, log, tls });
const subscriber = createClient(WebhooksService, webhooks);
const connection = busConnectionOptions(config, { name: "carrier", log });
const bus = createJetStreamPublisher({ ...connection, askSubscriber: () => askSubscriber(subscriber) });

await runService({
  ...service,
  migrations: carrierMigrations,
  start: (db) =>
    startCarrier({
      db,
      bus,
      records: createClient(RecordsService, records),
      tracking: createClient(TrackingService, tracking),
      subscriber,
      log,
      now: () => new Date(),
      random: pooledRandom,
      trial,
    }),
  closeLast: [bus, records, tracking, webhooks],
});
