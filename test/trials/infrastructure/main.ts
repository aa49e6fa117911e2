import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import type { Report } from "../chaos/deliveries/report.js";
import { administrators } from "./administrators.js";
import { natsAccountRow } from "./nats-account.js";
import { poolerRow } from "./pooler.js";
import { processRow } from "./process.js";
import { settingsRow } from "./settings.js";

/** A row: a behaviour of external infrastructure, and the platform's results with it. */
const rows: Record<string, (say: (line: string) => void) => Promise<Report>> = {
  settings: settingsRow,
  "nats-account": natsAccountRow,
  process: processRow,
  pgbouncer: poolerRow,
  administrators,
};

const began = performance.now();
const say = (line: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
const names = Object.keys(rows);
const { args } = new Command("npm run trial -- infrastructure")
  .description(
    "Run the platform on infrastructure with other settings, limits and roles than ours, and audit the result.",
  )
  .addArgument(new Argument("[rows...]", "all by default").choices(names))
  .addHelpText("after", examples("npm run trial -- infrastructure pgbouncer"))
  .parse();
for (const name of args.length > 0 ? args : names) {
  say(name);
  const { figures, broken } = await rows[name]!(say);
  console.log(JSON.stringify({ row: name, ...figures, broken }, null, 2));
  if (broken.length > 0) process.exitCode = 1;
}
