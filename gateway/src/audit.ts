import type { Environment } from "@shipping/kit/caller";
import { newId, type Random } from "@shipping/kit/ids";

/** Who changes something, and from where. */
export interface Actor {
  /** A member's e-mail, or `operator`. */
  name: string;
  /** A network address, or `command line`. */
  source: string;
}

/** The operator at the command line. */
export const OPERATOR: Actor = { name: "operator", source: "command line" };

export type AuditAction =
  | "key.created"
  | "key.revoked"
  | "member.added"
  | "member.removed"
  | "webhook.created"
  | "webhook.disabled";

/** A change of what belongs to an account. */
export interface Change {
  accountId: string;
  action: AuditAction;
  environment: Environment | null;
  /** The id of what was changed. */
  subject: string;
  /** The same in words. */
  detail: string;
}

/** The entry of the audit log that tells of a change, written in the same transaction wherever both are in one database. */
export function auditEntry(deps: { now(): Date; random: Random }, actor: Actor, change: Change) {
  return { id: newId("aud", deps.random), at: deps.now(), actor: actor.name, source: actor.source, ...change };
}
