import "@shipping/kit/process/require-node";
import { configureProcess, runService } from "@shipping/kit/service/run-service";
import { trackingMigrations } from "./account-data.js";
import { trackingConfig } from "./config.js";
import { startTracking } from "./start-tracking.js";

await runService({
  ...configureProcess("tracking", trackingConfig),
  migrations: trackingMigrations,
  start: (db) => startTracking({ db }),
});
