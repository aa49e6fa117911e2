import { createLog } from "@shipping/kit/log";
import { configured } from "@shipping/kit/process";
import { runService } from "@shipping/kit/run-service";
import { trackingConfig } from "./config.js";
import { startTracking, trackingMigrations } from "./start-tracking.js";

const config = configured(trackingConfig);
const log = createLog({ part: "tracking", level: config.LOG_LEVEL });

await runService({
  part: "tracking",
  config,
  log,
  migrations: trackingMigrations,
  start: (db) => startTracking({ db }),
});
