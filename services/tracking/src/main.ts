import "@shipping/kit/require-node";
import { createLog } from "@shipping/kit/log";
import { configured } from "@shipping/kit/process";
import { runService } from "@shipping/kit/run-service";
import { tlsOf } from "@shipping/kit/tls";
import { trackingConfig } from "./config.js";
import { startTracking, trackingMigrations } from "./start-tracking.js";

const config = configured(trackingConfig);
const log = createLog({ part: "tracking", level: config.LOG_LEVEL });
const tls = configured(() => tlsOf(config, log));

await runService({
  part: "tracking",
  config,
  log,
  tls,
  migrations: trackingMigrations,
  start: (db) => startTracking({ db }),
});
