import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SignedIn } from "../session/session.js";

const PARAMETER = "account_id";

type Account = Pick<SignedIn, "accountId">;

/** The account that a page is shown for. */
export const ShownFor = createContext<Account | undefined>(undefined);

/**
 * A form that changes something of an account. It names the account: until it is submitted, its reader may have signed in to another one.
 * The query names it, because a gateway of the release before refuses a field that it does not know, and ignores the query of a form.
 */
export function AccountForm({ action = "", children }: { action?: string; children: ComponentChildren }) {
  const account = useContext(ShownFor);
  if (!account) throw new Error("A form of an account is shown without one.");
  return (
    <form method="post" action={`${action}?${PARAMETER}=${account.accountId}`}>
      {children}
    </form>
  );
}

/** Whether a form was shown for an account. `query` is what it was sent with. */
export function isShownFor(query: URLSearchParams, { accountId }: Account): boolean {
  // A form of the release before names no account and is accepted. Once this has been released, require `named.length > 0`, too.
  const named = query.getAll(PARAMETER);
  return named.every((id) => id === accountId);
}
