import type { Failure } from "@shipping/kit/errors";
import { AREA_PATH, type HtmlPage } from "./page.js";

const TITLES: Record<number, string> = {
  404: "There is nothing here",
  409: "That is not possible now",
  412: "The page is not as you expected",
  422: "The form is not right",
  429: "Too many attempts",
  503: "Not available at the moment",
};

/** Says that somebody may not do this. */
export function forbidden(why: string): HtmlPage {
  return refused(403, "Not allowed", why);
}

/** A refusal as a page. A missing thing and somebody else's look alike, byte for byte. */
export function refusalPage({ status, message, fields }: Failure): HtmlPage {
  const title = TITLES[status] ?? "Something went wrong";
  if (status === 404) return refused(404, title, "The page, or what it was about, does not exist.");
  return refused(status, title, fields.length > 0 ? fields.map((f) => `${f.path}: ${f.message}`).join("; ") : message);
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
