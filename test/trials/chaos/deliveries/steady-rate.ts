import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { ordersAtRate } from "./order-load.js";
import { latencies, quantile, type Report, reportOf, stillMissing } from "./report.js";
import { newSubscriber } from "./subscriber.js";

const WARM_UP_SECONDS = 5;

/** Measures from the API's answer to the receipt at one healthy receiver, in the same run as the load. */
export async function steadyRate(
  cluster: ClusterUnderTest,
  options: { perSecond: number; seconds: number; goalMs: { p50: number; p95: number } },
): Promise<Report> {
  const subscriber = await newSubscriber(cluster);
  const target = { gateways: cluster.gateways, keys: [subscriber.key], perSecond: options.perSecond };
  await ordersAtRate({ ...target, seconds: WARM_UP_SECONDS });
  const { acknowledged, repetitions } = await ordersAtRate({ ...target, seconds: options.seconds });
  const missing = await stillMissing(acknowledged, subscriber.arrivals, 30_000);
  await subscriber.close();
  const late = latencies(acknowledged, subscriber.arrivals);
  const [p50, p95] = [quantile(late, 0.5), quantile(late, 0.95)];
  return reportOf(
    {
      events: acknowledged.length,
      perSecond: options.perSecond,
      repetitions,
      missing,
      requests: subscriber.arrivals.length,
      milliseconds: { p50, p95, p99: quantile(late, 0.99), max: quantile(late, 1) },
    },
    [
      [missing === 0, "every event arrives"],
      [p50 <= options.goalMs.p50, `half arrive within ${options.goalMs.p50} ms of the answer`],
      [p95 <= options.goalMs.p95, `95 of 100 arrive within ${options.goalMs.p95} ms of the answer`],
    ],
  );
}
