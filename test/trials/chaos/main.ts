import { examples, wholeNumber } from "@shipping/local/option-values";
import { Command } from "commander";

/** A session may send 100 forms in ten minutes, and all accounts may create 200 keys in an hour. */
const FORMS = 100;

// The long form of the test in test/flows.
const { processedArgs } = new Command("npm run trial -- chaos")
  .description("Run many operations while processes are killed, then check the results.")
  .argument("[operations]", "number of operations", wholeNumber(1, 10_000_000), 10_000)
  .addHelpText("after", examples("npm run trial -- chaos 500"))
  .parse();
const operations: number = processedArgs[0];
// Loaded after the command line is parsed, because help and errors do not need the platform.
const { startCluster } = await import("../../platform/cluster.js");
const { runChaos } = await import("./run-chaos.js");
const cluster = await startCluster(["--gateways", "3", "--portals", "2"], { RATE_LIMIT_PER_MINUTE: "1000000" });
try {
  const report = await runChaos(cluster, { operations, clients: 24, killEveryMs: 1_000, forms: FORMS });
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = Object.values({ ...report.audit, ...report.lines }).every((count) => count === 0) ? 0 : 1;
} finally {
  await cluster.stop();
}
