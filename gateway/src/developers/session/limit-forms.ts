import { fail } from "@shipping/kit/errors";
import sql from "sql-template-tag";
import { type GatewayDeps, windowStart } from "../../database/deps.js";
import { WINDOW_MINUTES } from "./limit-window.js";
import type { SignedIn } from "./session.js";

/** Far more than a person sends, and few enough that a program cannot flood the account. */
const MAX_FORMS = 100;

/** Counts a form that a session sends, and refuses it if so many came before it in this window. */
export async function limitForms(
  deps: Pick<GatewayDeps, "db" | "clockOffsetMs">,
  { hash }: Pick<SignedIn, "hash">,
): Promise<void> {
  const start = windowStart(deps, WINDOW_MINUTES);
  const counted = await deps.db.run(sql`
    WITH this_window AS (SELECT ${start} AS start)
    UPDATE sessions SET forms = CASE WHEN forms_since = start THEN forms + 1 ELSE 1 END, forms_since = start
    FROM this_window
    WHERE hash = ${hash} AND (forms < ${MAX_FORMS} OR forms_since IS DISTINCT FROM start)
    RETURNING forms`);
  if (counted.length === 0) {
    throw fail("rate_limited", `You have submitted too many forms. Try again in ${WINDOW_MINUTES} minutes.`);
  }
}
