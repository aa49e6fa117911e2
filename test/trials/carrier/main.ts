import { examples, wholeNumber } from "@shipping/local/option-values";
import { Command } from "commander";

const command = new Command("npm run trial -- carrier")
  .description(
    "Buy labels from an unreliable carrier while gateways and carriers are killed, then compare its ledger with the labels.",
  )
  .argument("[chains]", "number of chains", wholeNumber(1, 1_000_000), 10_000)
  .option("--clients <number>", "number of customers' processes that buy at once", wholeNumber(1, 500), 48)
  .option("--minutes <number>", "time after which no further chain begins", wholeNumber(1, 10_000))
  .option("--no-keys", "make the carrier ignore idempotency keys")
  .addHelpText("after", examples("npm run trial -- carrier 500"))
  .parse();
const chains: number = command.processedArgs[0];
const { clients, keys, minutes } = command.opts<{ clients: number; keys: boolean; minutes?: number }>();
const limit = minutes === undefined ? {} : { limitMs: minutes * 60_000 };
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { runChains } = await import("./run-chains.js");
const report = await runChains({ chains, clients, killEveryMs: 1_000, rate: 0.15, takesKeys: keys, ...limit });
console.log(JSON.stringify(report, null, 2));
process.exitCode = Object.values(report.audit).every((count) => count === 0) ? 0 : 1;
