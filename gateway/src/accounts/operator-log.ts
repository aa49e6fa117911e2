import { newId } from "@shipping/kit/ids";
import sql, { empty } from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";

const MAX_ARGUMENTS_CHARACTERS = 2_000;
const MAX_REASON_CHARACTERS = 500;

export interface Act {
  operator: string;
  host: string;
  /** For instance `delivery resend`. */
  command: string;
  /** The arguments, as on the command line. */
  arguments: string;
}

/** A change in the log. `begun`: it has not ended, or its end could not be written. */
export interface LoggedAct extends Act {
  id: string;
  at: Date;
  outcome: "begun" | "done" | "failed";
  reason: string | null;
}

/** Logs the start of a change and returns its ID. A change that cannot be logged must not be made. */
export async function beginAct(deps: AdminDeps, act: Act): Promise<string> {
  const id = newId("act", deps.random);
  const typed = act.arguments.slice(0, MAX_ARGUMENTS_CHARACTERS);
  await deps.db.run(sql`
    INSERT INTO operator_acts (id, at, operator, host, command, arguments, outcome)
    VALUES (${id}, ${deps.now()}, ${act.operator}, ${act.host}, ${act.command}, ${typed}, 'begun')`);
  return id;
}

/** Logs the end of a change. With a reason, it failed. */
export async function endAct(deps: AdminDeps, id: string, reason?: string): Promise<void> {
  await deps.db.run(sql`
    UPDATE operator_acts SET outcome = ${reason === undefined ? "done" : "failed"}, reason = ${reason?.slice(0, MAX_REASON_CHARACTERS) ?? null}
    WHERE id = ${id}`);
}

/** Lists changes, newest first; with `before`, those older than this one. */
export function listActs(deps: AdminDeps, { limit, before }: { limit: number; before?: string }): Promise<LoggedAct[]> {
  const older =
    before === undefined ? empty : sql`WHERE (at, id) < (SELECT at, id FROM operator_acts WHERE id = ${before})`;
  return deps.db.run<LoggedAct>(sql`
    SELECT id, at, operator, host, command, arguments, outcome, reason FROM operator_acts ${older}
    ORDER BY at DESC, id DESC LIMIT ${limit}`);
}
