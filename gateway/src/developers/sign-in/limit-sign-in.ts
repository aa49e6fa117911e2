import { fail } from "@shipping/kit/errors";
import sql from "sql-template-tag";
import type { Asked, HtmlPage, PageDeps } from "../page/page.js";
import { refusalPage } from "../page/refusal-page.js";
import { WINDOW_MINUTES, windowStart } from "../session/limit-window.js";

type Deps = Pick<PageDeps, "db" | "clockOffsetMs">;

const MOST_REFUSALS = 100;

/**
 * Counts an attempt to sign in that is refused. From the hundredth and first of an address and window on, yields what it is answered
 * instead. Whoever brings what is valid never comes here, so nobody is locked out by others behind the same address; and what a
 * another site's page has their browser send does not count.
 */
export async function limitRefusals(
  deps: Deps,
  { source, deliberate }: Pick<Asked, "source" | "deliberate">,
): Promise<HtmlPage | undefined> {
  if (!deliberate) return undefined;
  const counted = await deps.db.run(sql`
    INSERT INTO sign_in_refusals AS r (source, since, count) VALUES (${source}, ${windowStart(deps)}, 1)
    ON CONFLICT (source, since) DO UPDATE SET count = r.count + 1 WHERE r.count < ${MOST_REFUSALS}
    RETURNING count`);
  if (counted.length > 0) return undefined;
  const why = `Too many attempts to sign in from your address. Wait ${WINDOW_MINUTES} minutes.`;
  return refusalPage(fail("rate_limited", why));
}
