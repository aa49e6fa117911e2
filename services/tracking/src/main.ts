import "@shipping/kit/process/require-node";
import { createLog } from "@shipping/kit/process/log";
import { configured } from "@shipping/kit/process/run-process";
import { runService } from "@shipping/kit/service/run-service";
import { openTls } from "@shipping/kit/tls/tls";
import { trackingConfig } from "./config.js";
import { startTracking, trackingMigrations } from "./start-tracking.js";

const config = configured(trackingConfig);
const log = createLog({ part: "tracking", level: config.LOG_LEVEL });
const tls = configured(() => openTls(config, log));

await runService({
  part: "tracking",
  config,
  log,
  tls,
  migrations: trackingMigrations,
  start: (db) => startTracking({ db }),
});
