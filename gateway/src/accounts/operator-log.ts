import { fail } from "@shipping/kit/errors";
import { redact } from "@shipping/kit/process/log";
import sql, { empty } from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";

const MAX_ARGUMENTS_CHARACTERS = 2_000;
const MAX_REASON_CHARACTERS = 500;

export interface Act {
  id: string;
  operator: string;
  host: string;
  /** The command, for instance `delivery resend`. */
  command: string;
  /** The arguments, as on the command line; keys and secrets are redacted when they are stored. */
  arguments: string;
}

/** A change in the log. `begun`: it has not ended, or its end could not be written. */
export interface LoggedAct extends Act {
  at: Date;
  outcome: "begun" | "done" | "failed";
  reason: string | null;
}

type Deps = Pick<AdminDeps, "db" | "now">;

/** Logs the start of a change. A change that cannot be logged must not be made. The same act can be logged again. */
export async function beginAct(deps: Deps, { id, operator, host, command, arguments: given }: Act): Promise<void> {
  const typed = redact(given).slice(0, MAX_ARGUMENTS_CHARACTERS);
  const [logged] = await deps.db.run(sql`
    WITH begun AS (
      INSERT INTO operator_acts (id, at, operator, host, command, arguments, outcome)
      VALUES (${id}, ${deps.now()}, ${operator}, ${host}, ${command}, ${typed}, 'begun')
      ON CONFLICT (id) DO NOTHING RETURNING id)
    SELECT id FROM begun
    UNION ALL
    SELECT id FROM operator_acts
    WHERE id = ${id} AND outcome = 'begun' AND (operator, host, command, arguments) = (${operator}, ${host}, ${command}, ${typed})`);
  if (!logged) throw fail("idempotency_conflict", `${id} is another act.`);
}

/** Logs the end of a change, once. With a reason, it failed. */
export async function endAct({ db }: Deps, id: string, reason?: string): Promise<void> {
  const outcome = reason === undefined ? "done" : "failed";
  const stored = reason === undefined ? null : redact(reason).slice(0, MAX_REASON_CHARACTERS);
  const [ended] = await db.run(sql`
    UPDATE operator_acts SET outcome = ${outcome}, reason = ${stored}
    WHERE id = ${id} AND outcome IN ('begun', ${outcome}) RETURNING id`);
  if (!ended) await requireBegunAct({ db }, id);
}

/** Refuses the ID of an act that has not begun, or has ended. */
export async function requireBegunAct({ db }: Pick<Deps, "db">, id: string): Promise<void> {
  const [act] = await db.run<{ outcome: string }>(sql`SELECT outcome FROM operator_acts WHERE id = ${id}`);
  if (!act) throw fail("not_found", `No such act: ${id}`);
  if (act.outcome !== "begun") throw fail("idempotency_conflict", `${id} has ended: ${act.outcome}.`);
}

/** Lists changes, newest first; with `before`, those older than this one. */
export function listActs({ db }: Pick<Deps, "db">, page: { limit: number; before?: string | undefined }) {
  const { limit, before } = page;
  const older =
    before === undefined ? empty : sql`WHERE (at, id) < (SELECT at, id FROM operator_acts WHERE id = ${before})`;
  return db.run<LoggedAct>(sql`
    SELECT id, at, operator, host, command, arguments, outcome, reason FROM operator_acts ${older}
    ORDER BY at DESC, id DESC LIMIT ${limit}`);
}
