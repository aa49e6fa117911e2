import type { Environment } from "@shipping/kit/caller";
import sql from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import type { Actor, AuditAction } from "./audit.js";

/** A label that a member has voided. */
export interface VoidedLabel {
  accountId: string;
  environment: Environment;
  id: string;
  /** Its tracking number. */
  detail: string;
  at: Date;
  actor: Actor;
}

const ACTION: AuditAction = "label.voided";

/** Writes the audit entry of a label that a member has voided. Its id is made of the label's, so that there is one, however often this is called. */
export async function recordVoid({ db }: Pick<GatewayDeps, "db">, voided: VoidedLabel): Promise<void> {
  const { accountId, environment, id, detail, at, actor } = voided;
  await db.run(sql`
    INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
    VALUES (${`aud_${id.slice("lbl_".length)}`}, ${accountId}, ${at}, ${actor.name}, ${ACTION}, ${environment}, ${id}, ${detail},
      ${actor.source})
    ON CONFLICT (id) DO NOTHING`);
}
