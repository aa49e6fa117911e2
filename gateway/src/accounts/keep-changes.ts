import { databaseNow } from "@shipping/kit/postgres/clock";
import { startLoop } from "@shipping/kit/process/loop";
import type { Metrics } from "@shipping/kit/process/metrics";
import sql, { type Sql } from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import type { Clients } from "../service-clients/clients.js";
import { settleVoidsOnce } from "./settle-changes.js";

const SETTLE_MS = 10_000;
const EXPIRE_MS = 3_600_000;

/** How long a line stays after the portal has acknowledged it: a portal that is restored from a backup reads it again. */
const ACKNOWLEDGED_DAYS = 7;

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs"> & { auditRetentionDays: number };

/** Deletes lines that were acknowledged seven days ago, lines that nobody has read, and old acts of operators. */
export async function expireChangesOnce(deps: Deps): Promise<{ acknowledged: number; unread: number; acts: number }> {
  const now = databaseNow(deps);
  const retention = sql`${deps.auditRetentionDays} * interval '1 day'`;
  const count = async (deletion: Sql) => (await deps.db.run(deletion)).length;
  return {
    acknowledged: await count(sql`
      DELETE FROM account_changes WHERE acknowledged_at <= ${now} - ${ACKNOWLEDGED_DAYS} * interval '1 day' RETURNING id`),
    unread: await count(sql`
      DELETE FROM account_changes WHERE acknowledged_at IS NULL AND at <= ${now} - ${retention} RETURNING id`),
    acts: await count(sql`DELETE FROM operator_acts WHERE at <= ${now} - ${retention} RETURNING id`),
  };
}

/** Reads how many lines the portal has not acknowledged, and the age of the oldest; 0 if there is none. */
export async function readWaitingChanges(
  deps: Pick<GatewayDeps, "db"> & Partial<Pick<GatewayDeps, "clockOffsetMs">>,
): Promise<{ waiting: number; oldestSeconds: number }> {
  const [row] = await deps.db.runList<{ waiting: number; oldestSeconds: number }>(sql`
    SELECT count(*)::integer AS waiting,
      coalesce(extract(epoch FROM ${databaseNow(deps)} - min(at)), 0)::float8 AS "oldestSeconds"
    FROM account_changes WHERE acknowledged_at IS NULL AND check_at IS NULL`);
  return row!;
}

/** Starts the background work on `account_changes`: settling open lines, deleting old ones, counting those that wait. */
export function keepChanges(
  deps: Deps & Pick<GatewayDeps, "log" | "random"> & { clients: Pick<Clients, "carrier">; metrics: Metrics },
) {
  const { log, metrics } = deps;
  const loops = [
    startLoop({ name: "settle-voids", everyMs: SETTLE_MS, log, once: () => settleVoidsOnce(deps) }),
    startLoop({ name: "expire-changes", everyMs: EXPIRE_MS, log, once: () => expireChangesOnce(deps) }),
  ];
  const help = {
    changes_waiting: "Changes of accounts that the portal has not stored yet.",
    changes_oldest_waiting_seconds: "Age of the oldest of them; 0 if there is none.",
  };
  metrics.gauges(help, async () => {
    const { waiting, oldestSeconds } = await readWaitingChanges(deps);
    return { changes_waiting: waiting, changes_oldest_waiting_seconds: oldestSeconds };
  });
  return { stop: () => Promise.all(loops.map((loop) => loop.stop())) };
}
