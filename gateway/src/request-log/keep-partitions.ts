import { type Loop, startLoop } from "@shipping/kit/process/loop";
import sql from "sql-template-tag";
import { clock, type GatewayDeps } from "../database/deps.js";

const EVERY_MS = 1_800_000;

/** Days for which counts are kept. */
const COUNT_DAYS = 30;

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs"> & { requestLogDays: number };

/** Makes the partitions of the coming days, drops those whose requests are too old, and deletes old counts. Any number of gateways may do so at once. */
export async function keepPartitionsOnce(deps: Deps): Promise<{ made: number; dropped: number; counts: number }> {
  const now = clock(deps);
  const [kept] = await deps.db.run<{ made: number; dropped: number }>(
    sql`SELECT made, dropped FROM keep_request_log(${now}, ${deps.requestLogDays}::integer)`,
  );
  const counts = await deps.db.run(
    sql`DELETE FROM request_counts WHERE hour < ${now} - ${COUNT_DAYS * 24 + 1} * interval '1 hour' RETURNING outcome`,
  );
  return { made: kept?.made ?? 0, dropped: kept?.dropped ?? 0, counts: counts.length };
}

/** Does so at the start and every half hour. */
export function keepPartitions(deps: Deps & Pick<GatewayDeps, "log">): Loop {
  const once = () =>
    keepPartitionsOnce(deps).catch((err) => {
      deps.log.warn({ err }, "request log partitions not created yet: database not reachable");
    });
  const loop = startLoop({ name: "keep-request-log", everyMs: EVERY_MS, log: deps.log, once });
  loop.wake();
  return loop;
}
