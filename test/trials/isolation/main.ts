import { examples } from "@shipping/local/option-values";
import { Argument, Command, Option } from "commander";
import { playAll, type Report, type Say } from "../kit/report.js";

const names = ["outages", "stolen", "load"];
const command = new Command("npm run trial -- isolation")
  .description(
    "Check that the API notices nothing of the portal: without it, beside its worst pages, and beside its stolen certificate.",
  )
  .addArgument(new Argument("[scenarios...]", "all by default").choices(names))
  .addOption(new Option("--attacks <names...>", "load: the attacks to run at once; default: the worst of each kind"))
  .addHelpText(
    "after",
    examples("npm run trial -- isolation outages", "npm run trial -- isolation load --attacks access-flood"),
  )
  .parse();
// Loaded after the command line is parsed, because help and errors do not need the platform.
const [{ outages }, { stolenCertificate }, { ATTACKS, load }] = await Promise.all([
  import("./outages.js"),
  import("./stolen-certificate.js"),
  import("./load.js"),
]);
const scenarios: Record<string, (say: Say) => Promise<Report>> = {
  outages,
  stolen: stolenCertificate,
  load: load(command.opts<{ attacks?: string[] }>().attacks ?? ATTACKS),
};
await playAll(scenarios, command.args);
