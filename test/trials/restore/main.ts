import { examples } from "@shipping/local/option-values";
import { Command } from "commander";

new Command("npm run trial -- restore")
  .description("Back up the platform under load, lose its PostgreSQL, restore it, and audit all acknowledged writes.")
  .addHelpText("after", examples("npm run trial -- restore"))
  .parse();
const began = performance.now();
const say = (line: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { restoreDrill } = await import("./restore.js");
const { figures, broken } = await restoreDrill(say);
console.log(JSON.stringify({ ...figures, broken }, null, 2));
if (broken.length > 0) process.exitCode = 1;
