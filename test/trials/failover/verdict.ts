import type { ClusterUnderTest } from "../../platform/cluster.js";
import { type Audit, audit } from "../chaos/audit.js";
import { type Report, reportOf } from "../chaos/deliveries/report.js";
import type { Load } from "./load.js";

/** Stops the load, audits everything that was acknowledged, and reports the effects on customers beside a scenario's own figures and promises. */
export async function verdict(
  cluster: ClusterUnderTest,
  load: Load,
  own: { figures: Report["figures"]; promises: readonly (readonly [boolean, string])[] },
): Promise<Report> {
  const { accountIds, acknowledged, reads } = await load.stop();
  const found = await audit(cluster, accountIds, acknowledged);
  const seen = load.attempts.seen();
  const figures = { ...own.figures, acknowledged: acknowledged.length, ...seen, reads, audit: found };
  return reportOf(figures, [
    ...own.promises,
    [acknowledged.length > 0, "Nothing was acknowledged at all."],
    [seen.unclear === 0, "A write failed in another way than 503 with Retry-After."],
    [reads.wrong.length === 0, "A read answered something else than the order or 503 with Retry-After."],
    ...Object.entries(found).map(([flaw, count]: [string, Audit[keyof Audit]]) => {
      return [count === 0, `The audit found ${count} of ${flaw}.`] as const;
    }),
  ]);
}
