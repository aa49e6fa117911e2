import type { Actor, Environment } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { cleaned } from "@shipping/kit/process/log";
import sql, { type Sql } from "sql-template-tag";
import type { MemberDeps } from "../database/deps.js";

/** The longest detail of an entry, with room for the IDs of a hundred labels. */
const MAX_EXPORT_CHARACTERS = 4_000;

/** The actions of the audit log, in words. */
export const AUDIT_ACTIONS = {
  "key.created": "Key created",
  "key.revoked": "Key revoked",
  "member.added": "Member added",
  "member.invited": "Member invited",
  "member.invited_again": "Invitation resent",
  "member.invitation_declined": "Invitation declined",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "member.signed_in": "Signed in",
  "member.switched_account": "Switched to another account",
  "member.linked_to_provider": "Linked to the sign-in provider",
  "member.sign_in_link_made_by_operator": "Sign-in link created by the operator",
  "member.session_ended": "Session ended",
  "member.signed_out_everywhere": "Signed out everywhere",
  "webhook.created": "Subscription created",
  "webhook.disabled": "Subscription disabled",
  "webhook.named": "Endpoint named",
  "label.voided": "Label voided",
  "data.exported": "Exported",
  "account.suspended": "Account suspended",
  "account.resumed": "Account resumed",
};

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export interface Change {
  accountId: string;
  action: AuditAction;
  environment: Environment | null;
  subject: string;
  /** The name of the changed object, for people. */
  detail: string;
}

/** A value that may instead be an SQL expression over the rows of the same statement. */
export type Written<T> = { [Key in keyof T]: T[Key] | Sql };

/**
 * The part of a statement that writes the audit entry of its change: one entry for each row of `from`, so no entry if the statement changed no row.
 */
export function writeAuditEntry(
  deps: Pick<MemberDeps, "random" | "clockOffsetMs">,
  actor: Written<Actor>,
  { accountId, action, environment, subject, detail, from }: Written<Change> & { from: Sql },
): Sql {
  return sql`
    INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
    SELECT ${newId("aud", deps.random)}, ${accountId}, ${databaseNow(deps)}, ${actor.name}, ${action}, ${environment},
      ${subject}, ${detail}, ${actor.source}
    FROM ${from}`;
}

/** Writes the audit entry of a change that the portal has made in its own database. */
export async function recordChange(deps: MemberDeps, actor: Actor, { detail, ...change }: Change): Promise<void> {
  const once = sql`(VALUES (1)) AS once`;
  await deps.db.run(
    writeAuditEntry(deps, actor, { ...change, detail: cleaned(detail, MAX_EXPORT_CHARACTERS), from: once }),
  );
}

/** Writes the audit entry of an export. Call this before sending any data, so that every export has an entry. */
export async function logExport(
  deps: MemberDeps,
  { what, actor, ...owner }: Pick<Change, "accountId" | "environment"> & { actor: Actor; what: string },
): Promise<void> {
  const detail = cleaned(what, MAX_EXPORT_CHARACTERS);
  const change = { ...owner, action: "data.exported", subject: "", detail, from: sql`(VALUES (1)) AS once` } as const;
  await deps.db.run(writeAuditEntry(deps, actor, change));
}
