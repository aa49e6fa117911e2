import { once } from "node:events";
import { createInterface } from "node:readline";
import { examples, wholeNumber } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { playAll, type Report, type Say, say } from "../kit/report.js";
import { migrations } from "./migrations.js";
import { natsNode, natsQuorum } from "./nats-faults.js";
import { asyncStandby } from "./postgres/async-standby.js";
import { demotedPrimary, hangingStandby, lostPrimary, silentPrimary } from "./postgres/lose-primary.js";
import { startPair } from "./postgres/pair.js";

/** Each scenario starts its platform, plays a fault below it under load, and stops everything. */
const scenarios: Record<string, (say: Say) => Promise<Report>> = {
  "nats-node": natsNode,
  "nats-quorum": natsQuorum,
  migrations: (say) => migrations(say, command.opts().rows),
  postgres: lostPrimary,
  "postgres-silent": silentPrimary,
  "postgres-demoted": demotedPrimary,
  "postgres-standby": hangingStandby,
  "postgres-async": asyncStandby,
};

const command = new Command("npm run trial -- failover")
  .description("Play faults of the platform's dependencies under load, and audit all acknowledged writes.")
  .addArgument(new Argument("[scenarios...]", "all by default").choices(Object.keys(scenarios)))
  .option("--rows <count>", "migrations: rows of each large table", wholeNumber(100, 1_000_000_000), 10_000_000)
  .option("--by-hand", "start the platform on PostgreSQL with a standby, and promote it when you press Enter")
  .addHelpText(
    "after",
    examples("npm run trial -- failover postgres", "npm run trial -- failover migrations --rows 1000000"),
  )
  .parse();

async function failOverByHand(): Promise<void> {
  const pair = await startPair("sync");
  const { base_url, sandbox_key } = await pair.cluster.now();
  const input = createInterface({ input: process.stdin });
  process.once("SIGINT", () => input.close());
  say(`curl -H "Authorization: Bearer ${sandbox_key}" ${base_url}/account`);
  say("Press Enter to lose the primary and promote its standby, and Ctrl-C to stop.");
  input.once("line", async () => {
    await pair.losePrimary();
    await pair.failOver();
    say("The standby has been promoted and has the address.");
  });
  await once(input, "close");
  await pair.stop();
}

if (command.opts().byHand) await failOverByHand();
else await playAll(scenarios, command.args);
