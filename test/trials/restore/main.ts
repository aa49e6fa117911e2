import { examples } from "@shipping/local/option-values";
import { Command } from "commander";
import { print, say } from "../kit/report.js";

new Command("npm run trial -- restore")
  .description("Back up the platform under load, lose its PostgreSQL, restore it, and audit all acknowledged writes.")
  .addHelpText("after", examples("npm run trial -- restore"))
  .parse();
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { restoreDrill } = await import("./restore.js");
print(await restoreDrill(say));
