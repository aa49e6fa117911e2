import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { type Report, reportOf } from "../../kit/report.js";
import { percentiles, seconds } from "../../kit/statistics.js";
import { latencies, stillMissing } from "./arrivals.js";
import { ordersAtRate } from "./order-load.js";
import { newSubscriber } from "./subscriber.js";

/** Keeps NATS down for a while under load: the API keeps working, and everything arrives afterwards. */
export async function brokerDown(
  cluster: ClusterUnderTest,
  options: { perSecond: number; downMs: number; arriveWithinMs: number },
): Promise<Report> {
  const subscriber = await newSubscriber(cluster);
  const target = { gateways: cluster.gateways, keys: [subscriber.key], perSecond: options.perSecond };
  const load = ordersAtRate({ ...target, seconds: options.downMs / 1000 + 4 });
  await sleep(2_000);
  const backMs = await withoutBroker(cluster, () => sleep(options.downMs));
  const { acknowledged, repetitions } = await load;
  const missing = await stillMissing(acknowledged, subscriber.arrivals, options.arriveWithinMs);
  await subscriber.close();
  const late = latencies(acknowledged, subscriber.arrivals);
  const last = subscriber.arrivals.at(-1)?.atMs ?? 0;
  return reportOf(
    {
      events: acknowledged.length,
      downSeconds: seconds(options.downMs),
      repetitions,
      missing,
      milliseconds: percentiles(late),
      lastArrivalAfterReturnSeconds: seconds(last - backMs),
    },
    [
      [Object.keys(repetitions).length === 0, "the API answers 201 to every first sending"],
      [missing === 0, "every event arrives"],
    ],
  );
}

/** Wipes NATS while it holds events that webhooks has not received: everything acknowledged arrives all the same. */
export async function brokerWiped(
  cluster: ClusterUnderTest,
  options: { perSecond: number; seconds: number; arriveWithinMs: number },
): Promise<Report> {
  const subscriber = await newSubscriber(cluster);
  const { processes } = await cluster.now();
  const consumers = processes.filter(({ name }) => name.startsWith("webhooks-"));
  for (const { pid } of consumers) process.kill(pid, "SIGSTOP");
  const target = { gateways: cluster.gateways, keys: [subscriber.key], ...options };
  const { acknowledged, repetitions } = await ordersAtRate(target);
  const arrivedBefore = subscriber.arrivals.length;
  const backMs = await withoutBroker(cluster, () => rm(keptData(cluster), { recursive: true }));
  for (const { pid } of consumers) process.kill(pid, "SIGCONT");
  const missing = await stillMissing(acknowledged, subscriber.arrivals, options.arriveWithinMs);
  await subscriber.close();
  const last = subscriber.arrivals.at(-1)?.atMs ?? 0;
  return reportOf(
    {
      events: acknowledged.length,
      arrivedBefore,
      repetitions,
      missing,
      lastArrivalAfterWipeSeconds: seconds(last - backMs),
    },
    [
      [arrivedBefore < acknowledged.length, "the broker held events when it was wiped"],
      [missing === 0, `everything acknowledged arrives within ${seconds(options.arriveWithinMs)} s`],
    ],
  );
}

const keptData = ({ dataDir }: ClusterUnderTest) => join(dataDir, "nats.kept");

/** Kills NATS and starts it only after `during`, with the data in `keptData` at that time. Resolves with the time of its return. */
async function withoutBroker(cluster: ClusterUnderTest, during: () => Promise<unknown>): Promise<number> {
  const data = join(cluster.dataDir, "nats");
  await cluster.kill("nats");
  // A file in place of its folder makes NATS exit at each start.
  await rename(data, keptData(cluster));
  await writeFile(data, "");
  await during();
  await rm(data);
  await rename(keptData(cluster), data).catch(() => {});
  const backMs = performance.now();
  await cluster.healthy();
  return backMs;
}
