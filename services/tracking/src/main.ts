import "@shipping/kit/process/require-node";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { trackingConfig } from "./config.js";
import { startTracking, trackingMigrations } from "./start-tracking.js";

await runService({
  ...configureProcess("tracking", trackingConfig),
  migrations: trackingMigrations,
  start: (db) => startTracking({ db }),
});
