import type { Actor, Caller, Environment } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import sql, { type Sql } from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";

/**
 * A change that the gateway records for the portal. The audit log shows all but the creation of an account, the beginning of its erasure, and writes of
 * members, which the parts show themselves.
 */
type ChangeAction =
  | "account.created"
  | "account.suspended"
  | "account.resumed"
  | "account.erasing"
  | "key.created"
  | "key.revoked"
  | "label.voided"
  | "member.wrote";

interface Change {
  accountId: string;
  action: ChangeAction;
  environment: Environment | null;
  subject: string;
  /** The name of the changed object, for people. */
  detail: string;
}

/** A value that may instead be an SQL expression over the rows of the same statement. */
type Written<T> = { [Key in keyof T]: T[Key] | Sql };

type Recorded = Written<Change> & {
  /** The default is a new ID. A line whose ID is taken is not written again. */
  id?: string | Sql;
  /** The default is now. */
  at?: Date | Sql;
  from: Sql;
};

/**
 * The CTE of a statement that records its change for the portal, which has the audit log: one line for each row of `from`, so no line if the statement
 * changed no row.
 */
export function recordChange(
  deps: Pick<AdminDeps, "random" | "clockOffsetMs">,
  actor: Written<Actor>,
  { id = newId("aud", deps.random), at = databaseNow(deps), from, ...change }: Recorded,
): Sql {
  const { accountId, action, environment, subject, detail } = change;
  return sql`
    recorded AS (
      INSERT INTO account_changes (id, account_id, at, actor, action, environment, subject, detail, source)
      SELECT ${id}, ${accountId}, ${at}, ${actor.name}, ${action}, ${environment}, ${subject}, ${detail}, ${actor.source}
      FROM ${from}
      ON CONFLICT (id) DO NOTHING)`;
}

/** The INSERT of the line of a member's write, for the statement that claims its idempotency key. `write` is its method and path. */
export function insertWrite(
  deps: Pick<AdminDeps, "random" | "clockOffsetMs">,
  { caller, actor, write }: { caller: Caller; actor: Actor; write: string },
): Sql {
  return sql`
    INSERT INTO account_changes (id, account_id, at, actor, action, environment, subject, detail, source)
    SELECT ${newId("aud", deps.random)}, ${caller.accountId}, ${databaseNow(deps)}, ${actor.name}, 'member.wrote', ${caller.environment}, '',
      ${write}, ${actor.source}
    FROM claimed`;
}
