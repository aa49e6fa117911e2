import type { Actor, Caller } from "@shipping/kit/caller";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { databaseNow } from "@shipping/kit/postgres/clock";
import { answered } from "@shipping/kit/rpc/call-owner";
import sql, { type Sql } from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";
import type { Clients } from "../service-clients/clients.js";
import { recordChange } from "./record-change.js";

const BATCH = 100;
const CALL = { timeoutMs: 2_000 };
const FIRST_CHECK = sql`interval '10 seconds'`;
/** How long a void may be in doubt at a carrier. */
const OPEN = sql`interval '7 days'`;

type Deps = Pick<GatewayDeps, "db" | "log" | "random" | "clockOffsetMs"> & { clients: Pick<Clients, "carrier"> };

/**
 * The line of a void that a member has asked for. It is open until the owner of the label says who has voided it: the void may be refused, another may
 * void the label first, and a process may be killed at any step.
 */
export interface OpenVoid {
  id: string;
  caller: Caller;
  actor: Actor;
  labelId: string;
}

export function openVoid({ random }: Pick<Deps, "random">, asked: Omit<OpenVoid, "id">): OpenVoid {
  return { id: newId("aud", random), ...asked };
}

/** The INSERT of the open line, for the statement that claims the write's idempotency key. */
export function insertOpenVoid(deps: Pick<Deps, "clockOffsetMs">, { id, caller, actor, labelId }: OpenVoid): Sql {
  return sql`
    INSERT INTO account_changes (id, account_id, at, actor, action, environment, subject, detail, source, check_at)
    SELECT ${id}, ${caller.accountId}, ${databaseNow(deps)}, ${actor.name}, 'label.voided', ${caller.environment}, ${labelId}, '',
      ${actor.source}, ${databaseNow(deps)} + ${FIRST_CHECK}
    FROM claimed
    ON CONFLICT (id) DO NOTHING`;
}

/** Closes an open line: keeps it if the member has voided the label, and drops it if another has. Returns false if the label is not voided yet. */
export async function settleVoid(deps: Deps, open: OpenVoid): Promise<boolean> {
  const { caller, actor, labelId } = open;
  const label = await answered(deps.clients.carrier.getLabel({ caller, id: labelId }, CALL)).catch((error) => {
    if (failureIn(error)?.code !== "not_found") throw error;
  });
  const { tracking_number: detail, voided_at: voidedAt } = label ? JSON.parse(Buffer.from(label.data).toString()) : {};
  if (label && !voidedAt) return false;
  if (label?.voided?.requestedBy === actor.name) await keepVoid(deps, open, { detail, at: new Date(voidedAt) });
  else await deps.db.run(sql`DELETE FROM account_changes WHERE ${isOpen(open)}`);
  return true;
}

// All open lines of this member about this label: a form that was sent again may have left several.
const isOpen = ({ caller, actor, labelId }: OpenVoid) =>
  sql`account_id = ${caller.accountId} AND subject = ${labelId} AND actor = ${actor.name} AND check_at IS NOT NULL`;

// The ID comes from the label's: two forms that ask for the void of one label leave one line. The join skips accounts whose erasure has begun.
async function keepVoid(deps: Deps, open: OpenVoid, { detail, at }: { detail: string; at: Date }): Promise<void> {
  const { actor, labelId, caller } = open;
  const id = `aud_${labelId.slice("lbl_".length)}`;
  const change = { ...caller, id, at, action: "label.voided", subject: labelId, detail } as const;
  const from = sql`closed JOIN accounts ON accounts.id = closed.account_id AND erasing_since IS NULL`;
  await deps.db.run(sql`
    WITH closed AS (DELETE FROM account_changes WHERE ${isOpen(open)} RETURNING account_id),
    ${recordChange(deps, actor, { ...change, from })}
    SELECT FROM closed`);
}

interface OpenRow extends Caller {
  id: string;
  labelId: string;
  actor: string;
  source: string;
}

/** Settles the open lines whose process has not. The time until the next check doubles, and a label that is not voided within a week never is. */
export async function settleVoidsOnce(deps: Deps): Promise<{ settled: number; left: number }> {
  const now = databaseNow(deps);
  await deps.db.run(sql`DELETE FROM account_changes WHERE check_at IS NOT NULL AND at < ${now} - ${OPEN}`);
  const rows = await deps.db.run<OpenRow>(sql`
    WITH due AS (
      SELECT id FROM account_changes WHERE check_at <= ${now} ORDER BY check_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
    UPDATE account_changes c SET check_at = ${now} + greatest(${now} - at, ${FIRST_CHECK})
    FROM due WHERE c.id = due.id
    RETURNING c.id, account_id AS "accountId", environment, subject AS "labelId", actor, source`);
  const settled = await Promise.all(
    rows.map(({ accountId, environment, actor, source, ...open }) => {
      const asked = { ...open, caller: { accountId, environment }, actor: { name: actor, source } };
      return settleVoid(deps, asked).catch((err) => {
        deps.log.warn({ err, account: accountId }, "it is not known yet whether a label was voided");
        return false;
      });
    }),
  );
  const count = settled.filter(Boolean).length;
  return { settled: count, left: settled.length - count };
}
