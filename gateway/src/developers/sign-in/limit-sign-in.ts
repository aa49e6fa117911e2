import { fail } from "@shipping/kit/errors";
import sql from "sql-template-tag";
import { windowStart } from "../../database/deps.js";
import type { HtmlPage, PageDeps, VisitorRequest } from "../page/page.js";
import { refusalPage } from "../page/refusal-page.js";
import { WINDOW_MINUTES } from "../session/limit-window.js";

type Deps = Pick<PageDeps, "db" | "clockOffsetMs">;

const MAX_REFUSALS = 100;

/**
 * Counts a refused attempt to sign in. From the hundred-and-first of an address and window on, returns the answer to send
 * instead. A valid sign-in is never counted, so nobody is locked out by others behind the same address; and a request that
 * another site's page makes a browser send does not count.
 */
export async function limitRefusals(
  deps: Deps,
  { source, deliberate }: Pick<VisitorRequest, "source" | "deliberate">,
): Promise<HtmlPage | undefined> {
  if (!deliberate) return undefined;
  const counted = await deps.db.run(sql`
    INSERT INTO sign_in_refusals AS r (source, since, count) VALUES (${source}, ${windowStart(deps, WINDOW_MINUTES)}, 1)
    ON CONFLICT (source, since) DO UPDATE SET count = r.count + 1 WHERE r.count < ${MAX_REFUSALS}
    RETURNING count`);
  if (counted.length > 0) return undefined;
  const why = `Too many sign-in attempts from your IP address. Try again in ${WINDOW_MINUTES} minutes.`;
  return refusalPage(fail("rate_limited", why));
}
