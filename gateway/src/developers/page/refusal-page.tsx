import type { Failure } from "@shipping/kit/errors";
import type { ComponentChildren } from "preact";
import { refusalWords } from "../../site/error-page.js";
import type { SignedIn } from "../session/session.js";
import { AREA_PATH, type HtmlPage } from "./page.js";
import { Text } from "./text.js";

/** Says that somebody may not do this. */
export function forbidden(why: string): HtmlPage {
  return refused(403, "Not allowed", why);
}

/** Says that nothing in a suspended account can be changed: an account that is about to be erased must not grow. */
export function suspendedPage(): HtmlPage {
  const why = "While this account is suspended, you can see everything but change nothing.";
  return refused(403, "Account suspended", why);
}

/** Says that a form was shown for another account than the one that somebody is signed in to. */
export function otherAccountPage({ accountName }: Pick<SignedIn, "accountName">): HtmlPage {
  return refused(
    409,
    "Form of another account",
    <>
      This form was shown for another account. You are now signed in to{" "}
      <strong>
        <Text>{accountName}</Text>
      </strong>
      . Nothing was changed. To submit the form, sign in to the account that it was shown for.
    </>,
  );
}

/** A refusal as a page. A missing thing and somebody else's look alike, byte for byte. */
export function refusalPage(failure: Failure): HtmlPage {
  const { title, why } = refusalWords(failure);
  return refused(failure.status, title, why);
}

function refused(status: number, title: string, why: ComponentChildren): HtmlPage {
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
