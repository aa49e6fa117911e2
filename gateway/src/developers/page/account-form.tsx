import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SignedIn } from "../session/session.js";
import type { Form } from "./read-form.js";

const FIELD = "account_id";

type Account = Pick<SignedIn, "accountId">;

/** The account that a page is shown for. */
export const ShownFor = createContext<Account | undefined>(undefined);

/** A form that changes something of an account. It names the account: until it is submitted, its reader may have signed in to another one. */
export function AccountForm({ action, children }: { action?: string; children: ComponentChildren }) {
  const account = useContext(ShownFor);
  if (!account) throw new Error("A form of an account is shown without one.");
  return (
    <form method="post" action={action}>
      <input type="hidden" name={FIELD} value={account.accountId} />
      {children}
    </form>
  );
}

/** Whether a form was shown for an account. */
export function isShownFor(form: Form, { accountId }: Account): boolean {
  const [named, ...more] = form.get(FIELD) ?? [];
  return named === accountId && more.length === 0;
}

/** A form without the account that it names. */
export function withoutAccount(form: Form): Form {
  return new Map([...form].filter(([name]) => name !== FIELD));
}
