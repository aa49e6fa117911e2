import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { type ClusterUnderTest, startCluster } from "../../../platform/cluster.js";
import { ONE_OF_EACH } from "../../../platform/launch-cluster.js";
import { alwaysFailing } from "./always-failing.js";
import { badNeighbours } from "./bad-neighbours.js";
import { growth } from "./growth.js";
import { killedDispatchers } from "./killed-dispatchers.js";
import { brokerDown, brokerWiped } from "./lost-broker.js";
import type { Report } from "./report.js";
import { steadyRate } from "./steady-rate.js";

// The long forms of the scenarios in test/flows/deliveries.test.ts.
const SPEEDUP = 120;
const minutes = (count: number) => count * 60_000;

type Scenario = (cluster: ClusterUnderTest) => Promise<Report>;

const scenarios: Record<string, Scenario> = {
  "killed-dispatchers": (cluster) =>
    killedDispatchers(cluster, { perSecond: 50, seconds: 40, pauseMs: [2_000, 2_000], arriveWithinMs: minutes(6) }),
  "crash-loop": (cluster) =>
    killedDispatchers(cluster, { perSecond: 50, seconds: 36, pauseMs: [1_000, 2_500], arriveWithinMs: minutes(6) }),
  "broker-down": (cluster) => brokerDown(cluster, { perSecond: 50, downMs: 20_000, arriveWithinMs: minutes(3) }),
  "broker-wiped": (cluster) => brokerWiped(cluster, { perSecond: 50, seconds: 10, arriveWithinMs: minutes(3) }),
  "always-failing": (cluster) => alwaysFailing(cluster, { events: 5, speedup: SPEEDUP }),
  "bad-neighbours": (cluster) =>
    badNeighbours(cluster, { healthy: 20, backlog: 10_000, perSecond: 50, rounds: 3, roundSeconds: 10 }),
  "steady-rate": (cluster) => steadyRate(cluster, { perSecond: 200, seconds: 60, goalMs: { p50: 3, p95: 10 } }),
  growth: (cluster) => growth(cluster, { parcels: 2_500 }),
};

// The rate that two cores can sustain. The other scenarios test how replicas affect each other.
const TWO_DISPATCHERS = ["--webhooks", "2"];

async function play(name: string, scenario: Scenario): Promise<boolean> {
  const switches = { RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" };
  const speedup = name === "always-failing" ? { CLOCK_SPEEDUP: String(SPEEDUP) } : {};
  const cluster = await startCluster(name === "steady-rate" ? ONE_OF_EACH : TWO_DISPATCHERS, {
    ...switches,
    ...speedup,
  });
  try {
    const { figures, broken } = await scenario(cluster);
    console.log(JSON.stringify({ scenario: name, ...figures, broken }, null, 2));
    return broken.length === 0;
  } finally {
    await cluster.stop();
  }
}

const names = Object.keys(scenarios);
const { args } = new Command("npm run trial -- deliveries")
  .description("Measure the effect of failures on webhook deliveries.")
  .addArgument(new Argument("[scenarios...]", "all by default").choices(names))
  .addHelpText("after", examples("npm run trial -- deliveries broker-wiped"))
  .parse();
for (const name of args.length > 0 ? args : names) {
  if (!(await play(name, scenarios[name]!))) process.exitCode = 1;
}
