import { examples, wholeNumber } from "@shipping/local/option-values";
import { Command } from "commander";
import { print, say } from "../kit/report.js";

const command = new Command("npm run trial -- restore")
  .description("Back up the platform under load, lose its PostgreSQL, restore it, and audit all acknowledged writes.")
  .option("--parcels <count>", "parcels that are stored before the backup", wholeNumber(0, 10_000_000), 0)
  .option("--alone", "instead, restore each database alone, the others as they are, and repair what is derived")
  .addHelpText("after", examples("npm run trial -- restore", "npm run trial -- restore --alone --parcels 10000"))
  .parse();
const { alone = false, parcels } = command.opts<{ alone?: boolean; parcels: number }>();
// Loaded after the command line is parsed, because help and errors do not need the platform.
if (alone) print(await (await import("./alone.js")).restoreAlone(say, parcels));
else print(await (await import("./restore.js")).restoreDrill(say, { parcels }));
