import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { type ClusterUnderTest, startCluster } from "../../../platform/cluster.js";
import { playAll, type Report } from "../../kit/report.js";
import { alwaysFailing } from "./always-failing.js";
import { badNeighbours } from "./bad-neighbours.js";
import { killedDispatchers } from "./killed-dispatchers.js";
import { brokerDown, brokerWiped } from "./lost-broker.js";

// The long forms of the scenarios in test/flows/deliveries.test.ts.
const SPEEDUP = 120;
const minutes = (count: number) => count * 60_000;

/** Plays a scenario on a cluster with two dispatchers, to test how replicas affect each other. */
const onCluster =
  (play: (cluster: ClusterUnderTest) => Promise<Report>, env: NodeJS.ProcessEnv = {}) =>
  async () => {
    const switches = { RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true", ...env };
    const cluster = await startCluster(["--webhooks", "2"], switches);
    return play(cluster).finally(() => cluster.stop());
  };

const scenarios: Record<string, () => Promise<Report>> = {
  "killed-dispatchers": onCluster((cluster) =>
    killedDispatchers(cluster, { perSecond: 50, seconds: 40, pauseMs: [2_000, 2_000], arriveWithinMs: minutes(6) }),
  ),
  "crash-loop": onCluster((cluster) =>
    killedDispatchers(cluster, { perSecond: 50, seconds: 36, pauseMs: [1_000, 2_500], arriveWithinMs: minutes(6) }),
  ),
  "broker-down": onCluster((cluster) =>
    brokerDown(cluster, { perSecond: 50, downMs: 20_000, arriveWithinMs: minutes(3) }),
  ),
  "broker-wiped": onCluster((cluster) =>
    brokerWiped(cluster, { perSecond: 50, seconds: 10, arriveWithinMs: minutes(3) }),
  ),
  "always-failing": onCluster((cluster) => alwaysFailing(cluster, { events: 5, speedup: SPEEDUP }), {
    CLOCK_SPEEDUP: String(SPEEDUP),
  }),
  "bad-neighbours": onCluster((cluster) =>
    badNeighbours(cluster, { healthy: 20, backlog: 10_000, perSecond: 50, rounds: 3, roundSeconds: 10 }),
  ),
};

const { args } = new Command("npm run trial -- deliveries")
  .description("Measure the effect of failures on webhook deliveries.")
  .addArgument(new Argument("[scenarios...]", "all by default").choices(Object.keys(scenarios)))
  .addHelpText("after", examples("npm run trial -- deliveries broker-wiped"))
  .parse();
await playAll(scenarios, args);
