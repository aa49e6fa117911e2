import type { Failure } from "@shipping/kit/errors";
import { refusalWords } from "../../site/refusal-words.js";
import { AREA_PATH, type HtmlPage } from "./page.js";

/** Says that somebody may not do this. */
export function forbidden(why: string): HtmlPage {
  return refused(403, "Not allowed", why);
}

/** Says that nothing of a suspended account can be changed: what is erased next must not grow any more. */
export function suspendedPage(): HtmlPage {
  const why = "While this account is suspended, you can see everything but change nothing.";
  return refused(403, "Account suspended", why);
}

/** A refusal as a page. A missing thing and somebody else's look alike, byte for byte. */
export function refusalPage(failure: Failure): HtmlPage {
  const { title, why } = refusalWords(failure);
  return refused(failure.status, title, why);
}

function refused(status: number, title: string, why: string): HtmlPage {
  return {
    status,
    title,
    body: (
      <>
        <h1>{title}</h1>
        <p>{why}</p>
        <p>
          <a href={AREA_PATH}>Back to the overview</a>
        </p>
      </>
    ),
  };
}
