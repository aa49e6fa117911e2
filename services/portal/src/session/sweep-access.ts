import { databaseNow } from "@shipping/kit/postgres/clock";
import { type Loop, startLoop } from "@shipping/kit/process/loop";
import sql, { type Sql } from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { DAY_MINUTES } from "../members/count-mails.js";
import { isOpen, WINDOW_MINUTES } from "./session.js";
import type { AreaSettingsDeps } from "./settings.js";

const EVERY_MS = 3_600_000;

type Deps = Pick<PortalDeps, "db" | "clockOffsetMs"> & Pick<AreaSettingsDeps, "auditRetentionDays">;

/**
 * Deletes expired links, ended sessions, past windows of sign-in refusals and emails, and old entries of the audit log; and emails that are long expired,
 * because the portal no longer sends any.
 */
export async function sweepAccessOnce(deps: Deps) {
  const now = databaseNow(deps);
  const count = async (deletion: Sql) => (await deps.db.run(deletion)).length;
  return {
    mails: await count(sql`DELETE FROM mails WHERE expires_at <= ${now} - interval '1 hour' RETURNING id`),
    links: await count(sql`DELETE FROM sign_in_links WHERE expires_at <= ${now} RETURNING member_id`),
    sessions: await count(sql`DELETE FROM sessions s WHERE NOT (${isOpen(deps)}) RETURNING member_id`),
    refusals: await count(sql`
      DELETE FROM sign_in_refusals WHERE since <= ${now} - ${WINDOW_MINUTES} * interval '1 minute' RETURNING since`),
    mailCounts: await count(sql`
      DELETE FROM mail_counts
      WHERE since <= ${now} - make_interval(mins => CASE WHEN starts_with(name, 'source:') THEN ${WINDOW_MINUTES}::integer ELSE ${DAY_MINUTES} END)
      RETURNING since`),
    entries: await count(sql`
      DELETE FROM audit_entries WHERE at <= ${now} - ${deps.auditRetentionDays} * interval '1 day' RETURNING id`),
  };
}

export function sweepAccess(deps: Deps & Pick<PortalDeps, "log">): Loop {
  return startLoop({ name: "sweep-access", everyMs: EVERY_MS, log: deps.log, once: () => sweepAccessOnce(deps) });
}
