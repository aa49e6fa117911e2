import { startCluster } from "../../platform/cluster.js";
import { type Report, seconds } from "../chaos/deliveries/report.js";
import { openReceivers } from "./deliveries-seen.js";
import { startLoad } from "./load.js";
import { type NatsServers, natsServersOf } from "./nats-servers.js";
import { verdict } from "./verdict.js";

/** A fault of NATS: its effect on the servers, and the durations to report. */
export interface NatsFault {
  name: string;
  play(servers: NatsServers): Promise<Record<string, number>>;
}

/** The timing of a load around faults. */
export interface Around {
  clients: number;
  /** Before the first fault, and after each. */
  calmMs: number;
  arriveWithinMs: number;
}

const SWITCHES = { RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" };

/** Plays faults of a NATS cluster of three under load: no request may fail, and everything acknowledged has to arrive, once. */
export async function playNatsFaults(
  say: (line: string) => void,
  faults: readonly NatsFault[],
  around: Around,
): Promise<Report> {
  const cluster = await startCluster(["--nats", "3"], SWITCHES);
  try {
    const receivers = await openReceivers(cluster);
    const servers = await natsServersOf(cluster);
    await servers.settled();
    const load = await startLoad(cluster, { clients: around.clients, customers: receivers.customers });
    await calm(around.calmMs);
    const played = [];
    for (const { name, play } of faults) {
      say(`${name}, after ${load.acknowledged()} writes`);
      const fromMs = performance.now();
      const told = await play(servers);
      await calm(around.calmMs);
      played.push({ name, told, fromMs, toMs: performance.now() });
    }
    const { acknowledged } = await load.stop();
    const events = acknowledged.filter(({ write }) => write.path !== "/rates").length;
    say(`${acknowledged.length} writes acknowledged; waiting for the last deliveries, then auditing`);
    const deliveries = await receivers.seen(events, around.arriveWithinMs);
    const figures = Object.fromEntries(
      played.map(({ name, told, fromMs, toMs }) => {
        return [name, { ...told, latestSeconds: receivers.latestBetween(fromMs, toMs) }];
      }),
    );
    const report = await verdict(cluster, load, {
      figures: { ...figures, deliveries },
      promises: [
        [Object.keys(load.attempts.seen().failed).length === 0, "A request failed because of NATS."],
        [deliveries.delivered === events, `${events - deliveries.delivered} events were not delivered.`],
        [deliveries.repeated === 0, `${deliveries.repeated} events were delivered more than once.`],
      ],
    });
    await Promise.all([receivers.close(), servers.close()]);
    return report;
  } finally {
    await cluster.stop();
  }
}

/** How long `work` takes, in seconds. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return seconds(performance.now() - begun);
}

/** Lets the load run. */
export function calm(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
