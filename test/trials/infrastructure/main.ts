import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { playAll, type Report, type Say } from "../kit/report.js";
import { administrators } from "./administrators.js";
import { busByHandRow } from "./bus-by-hand.js";
import { connectionsRow } from "./connections.js";
import { natsAccountRow } from "./nats-account.js";
import { noShellRow } from "./no-shell.js";
import { poolerRow } from "./pooler.js";
import { processRow } from "./process.js";
import { rotationRow } from "./rotation.js";
import { settingsRow } from "./settings.js";
import { telemetryRow } from "./telemetry.js";

/** A row: a behaviour of external infrastructure, and the platform's results with it. */
const rows: Record<string, (say: Say) => Promise<Report>> = {
  settings: settingsRow,
  "nats-account": natsAccountRow,
  "bus-by-hand": busByHandRow,
  process: processRow,
  "no-shell": noShellRow,
  telemetry: telemetryRow,
  connections: connectionsRow,
  pgbouncer: poolerRow,
  rotation: rotationRow,
  administrators,
};

const { args } = new Command("npm run trial -- infrastructure")
  .description(
    "Run the platform on infrastructure with other settings, limits and roles than ours, and audit the result.",
  )
  .addArgument(new Argument("[rows...]", "all by default").choices(Object.keys(rows)))
  .addHelpText("after", examples("npm run trial -- infrastructure pgbouncer"))
  .parse();
await playAll(rows, args);
