import type { Actor } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import sql, { type Sql } from "sql-template-tag";
import { type AdminDeps, clock } from "../database/deps.js";
import type { AuditAction, Change, Written } from "./audit.js";

/** A change of an account that its audit log does not show, but that the portal has to know. */
type Unlogged = "account.created" | "account.erasing";

type Recorded = Written<Omit<Change, "action">> & {
  action: AuditAction | Unlogged | Sql;
  /** The default is a new ID. A line whose ID is taken is not written again. */
  id?: string | Sql;
  /** The default is now. */
  at?: Date | Sql;
  from: Sql;
};

/**
 * The CTEs of a statement that record its change for the portal, which has the audit log: one line for each row of `from`, so no line if the statement
 * changed no row.
 */
export function recordChange(
  deps: Pick<AdminDeps, "random" | "clockOffsetMs">,
  actor: Written<Actor>,
  { id = newId("aud", deps.random), at = clock(deps), from, ...change }: Recorded,
): Sql {
  const { accountId, action, environment, subject, detail } = change;
  return sql`
    recorded AS (
      INSERT INTO account_changes (id, account_id, at, actor, action, environment, subject, detail, source)
      SELECT ${id}, ${accountId}, ${at}, ${actor.name}, ${action}, ${environment}, ${subject}, ${detail}, ${actor.source}
      FROM ${from}
      ON CONFLICT (id) DO NOTHING
      RETURNING id, account_id, at, actor, action, environment, subject, detail, source),
    logged AS (
      INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
      SELECT * FROM recorded WHERE action NOT IN ('account.created', 'account.erasing')
      ON CONFLICT (id) DO NOTHING)`;
}
