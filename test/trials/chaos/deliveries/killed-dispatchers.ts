import { silentLog } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import { eventsUnderWay } from "@shipping/webhooks/testing/stored-deliveries";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { type Report, reportOf } from "../../kit/report.js";
import { percentiles, seconds } from "../../kit/statistics.js";
import { arrivalsByEvent, latencies, stillMissing } from "./arrivals.js";
import { ordersAtRate } from "./order-load.js";
import { newSubscriber } from "./subscriber.js";

const MAX_ATTEMPTS = 8;
// Long enough that attempts are in flight at a kill.
const RECEIVER_MS = 25;

/** Kills the webhooks processes in turn while orders are created. The pauses between kills are between these values. */
export async function killedDispatchers(
  cluster: ClusterUnderTest,
  options: { perSecond: number; seconds: number; pauseMs: readonly [number, number]; arriveWithinMs: number },
): Promise<Report> {
  const subscriber = await newSubscriber(cluster, { delayMs: RECEIVER_MS });
  const underWayAtKill = new Set<string>();
  const { processes } = await cluster.now();
  const dispatchers = processes.map(({ name }) => name).filter((name) => name.startsWith("webhooks-"));
  let kills = 0;

  async function killOne(): Promise<void> {
    await cluster.kill(dispatchers[kills % dispatchers.length] ?? "").then(
      () => kills++,
      () => undefined,
    );
    // Deliveries that the dead process had claimed stay claimed until the lease ends.
    for (const id of await eventsUnderWay(cluster.databases.webhooks)) underWayAtKill.add(id);
    const [least, most] = options.pauseMs;
    await new Promise((resolve) => setTimeout(resolve, least + Math.random() * (most - least)));
  }

  const killing = startLoop({ name: "kill", everyMs: 0, log: silentLog(), once: killOne });
  const target = { gateways: cluster.gateways, keys: [subscriber.key], ...options };
  const { acknowledged } = await ordersAtRate(target).finally(() => killing.stop());
  const missing = await stillMissing(acknowledged, subscriber.arrivals, options.arriveWithinMs);
  await subscriber.close();

  const requests = [...arrivalsByEvent(subscriber.arrivals)];
  const repeated = requests.filter(([, arrivals]) => arrivals.length > 1);
  const unexplained = repeated.filter(([eventId]) => !underWayAtKill.has(eventId)).length;
  const mostRequests = Math.max(...requests.map(([, arrivals]) => arrivals.length));
  const late = latencies(acknowledged, subscriber.arrivals);
  return reportOf(
    {
      events: acknowledged.length,
      kills,
      missing,
      repeated: repeated.length,
      underWayAtKill: underWayAtKill.size,
      mostRequests,
      milliseconds: percentiles(late),
      latestSeconds: seconds(Math.max(...late)),
    },
    [
      [kills > 0, "a webhooks process is killed"],
      [missing === 0, "every event arrives"],
      [mostRequests <= MAX_ATTEMPTS, "no event is sent more than eight times"],
      [unexplained === 0, "only what was under way at a kill is sent again"],
    ],
  );
}
