import { createLog } from "@shipping/kit/log";
import { runService } from "@shipping/kit/run-service";
import { trackingConfig } from "./config.js";
import { startTracking, trackingMigrations } from "./start-tracking.js";

const config = trackingConfig();
const log = createLog({ part: "tracking", level: config.LOG_LEVEL });

await runService({
  part: "tracking",
  config,
  log,
  migrations: trackingMigrations,
  start: (db) => startTracking({ db }),
});
