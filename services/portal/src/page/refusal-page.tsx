import type { Failure } from "@shipping/kit/errors";
import { errors } from "@shipping/proto/errors";
import { refusalWords } from "@shipping/site/layout/error-page";
import type { ComponentChildren } from "preact";
import type { SignedIn } from "../session/session.js";
import { AREA_PATH, type HtmlPage } from "./page.js";
import { getRetrySeconds, Retry } from "./part.js";
import { Name, titledPage } from "./text.js";

export function forbidden(why: string): HtmlPage {
  return refused(403, "Not allowed", why);
}

/** 403: a suspended account cannot be changed. It may be about to be erased, so it must not grow. */
export function suspendedPage(): HtmlPage {
  const why = "While this account is suspended, you have read-only access.";
  return refused(403, "Account suspended", why);
}

/** 409: the form was shown for another account than the one that is signed in now. */
export function otherAccountPage({ accountName }: Pick<SignedIn, "accountName">): HtmlPage {
  return refused(
    409,
    "Form of another account",
    <>
      This form was shown for another account. You are now signed in to <Name>{accountName}</Name>. Nothing was changed.
      To submit the form, sign in to the account that it was shown for.
    </>,
  );
}

/**
 * Shows an error as a page. A missing resource and one of another account give the same bytes. `url` is the page that the browser reloads while a
 * service is unavailable.
 */
export function refusalPage(failure: Failure, url?: string): HtmlPage {
  const { title, why } = refusalWords(failure);
  if (failure.status !== 503 || url === undefined) return refused(failure.status, title, why);
  const page = refused(
    503,
    title,
    <>
      {why === errors.service_unavailable.message ? "A part of the platform does not respond." : why}{" "}
      <Retry url={url} />
    </>,
  );
  return { ...page, refreshSeconds: getRetrySeconds(url) };
}

function refused(status: number, title: string, why: ComponentChildren): HtmlPage {
  const body = (
    <>
      <p>{why}</p>
      <p>
        <a href={AREA_PATH}>Back to the overview</a>
      </p>
    </>
  );
  return titledPage(title, body, status);
}
