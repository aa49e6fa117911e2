import type { ClusterUnderTest } from "../../platform/cluster.js";
import { audit } from "../chaos/audit.js";
import { type Report, reportOf, type Say } from "../kit/report.js";
import type { Receivers } from "./deliveries-seen.js";
import type { Load, LoadReport } from "./load.js";

/** A scenario's own figures and promises. */
interface Own {
  figures: Report["figures"];
  promises: readonly (readonly [boolean, string])[];
}

/** Stops the load, audits everything that was acknowledged, and reports the effects on customers beside a scenario's own figures and promises. */
export async function verdict(say: Say, cluster: ClusterUnderTest, load: Load, own: Own): Promise<Report> {
  const { accountIds, acknowledged, reads } = await load.stop();
  say(`${acknowledged.length} writes acknowledged; auditing`);
  const found = await audit(cluster, accountIds, acknowledged);
  const seen = load.attempts.seen();
  const figures = { ...own.figures, acknowledged: acknowledged.length, ...seen, reads, audit: found };
  return reportOf(figures, [
    ...own.promises,
    [acknowledged.length > 0, "Nothing was acknowledged at all."],
    [seen.unclear === 0, "A write failed in another way than 503 with Retry-After."],
    [reads.wrong.length === 0, "A read answered something else than the order or 503 with Retry-After."],
    ...Object.entries(found).map(([flaw, count]) => [count === 0, `The audit found ${count} of ${flaw}.`] as const),
  ]);
}

/** A load whose customers have receivers. */
interface Delivered {
  cluster: ClusterUnderTest;
  load: Load;
  receivers: Receivers;
  arriveWithinMs: number;
  /** The report to audit, if it covers more than this load. */
  audited?: LoadReport;
}

/** The same, once the events of everything that the load acknowledged have arrived. */
export async function deliveriesVerdict(say: Say, of: Delivered, own: () => Own): Promise<Report> {
  const { cluster, load, receivers, arriveWithinMs, audited = await load.stop() } = of;
  const { acknowledged } = await load.stop();
  const events = acknowledged.filter(({ write }) => write.path !== "/rates").length;
  say(`${acknowledged.length} writes acknowledged; waiting for the last deliveries`);
  const deliveries = await receivers.seen(events, arriveWithinMs);
  const { figures, promises } = own();
  const report = await verdict(
    say,
    cluster,
    { ...load, stop: async () => audited },
    {
      figures: { ...figures, deliveries },
      promises: [
        ...promises,
        [deliveries.delivered === events, `${events - deliveries.delivered} events were not delivered.`],
        [deliveries.repeated === 0, `${deliveries.repeated} events were delivered more than once.`],
      ],
    },
  );
  await receivers.close();
  return report;
}
