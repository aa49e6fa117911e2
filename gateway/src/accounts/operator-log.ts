import { newId } from "@shipping/kit/ids";
import { redact } from "@shipping/kit/process/log";
import sql, { empty } from "sql-template-tag";
import type { AdminDeps } from "../database/deps.js";

const MAX_ARGUMENTS_CHARACTERS = 2_000;
const MAX_REASON_CHARACTERS = 500;

export interface Act {
  operator: string;
  host: string;
  /** The command, for instance `delivery resend`. */
  command: string;
  /** The arguments, as on the command line; keys and secrets are redacted when they are stored. */
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
  const typed = redact(act.arguments).slice(0, MAX_ARGUMENTS_CHARACTERS);
  await deps.db.run(sql`
    INSERT INTO operator_acts (id, at, operator, host, command, arguments, outcome)
    VALUES (${id}, ${deps.now()}, ${act.operator}, ${act.host}, ${act.command}, ${typed}, 'begun')`);
  return id;
}

/** Logs the end of a change. With a reason, it failed. */
export async function endAct(deps: AdminDeps, id: string, reason?: string): Promise<void> {
  const stored = reason === undefined ? null : redact(reason).slice(0, MAX_REASON_CHARACTERS);
  await deps.db.run(sql`
    UPDATE operator_acts SET outcome = ${reason === undefined ? "done" : "failed"}, reason = ${stored}
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
