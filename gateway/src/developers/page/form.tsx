import type { FieldError } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { z } from "zod";
import type { SignedIn } from "../session/session.js";
import { Note, visible } from "./text.js";

/** Names a form as it was shown: sent several times, it does one thing. */
export const formId = z.string("is required").refine((id) => isId("form", id), "does not belong to this form");

/** The error message below a field. `id` is the ID of the field. */
export function Fault({ id, faults, path }: { id: string; faults: readonly FieldError[]; path: string }) {
  const found = faultOf(faults, path);
  if (!found) return null;
  return (
    <p class="fault" id={`${id}-fault`}>
      {`This ${found.message}.`}
    </p>
  );
}

/** The attributes that link a field to its error message. */
export function faultAttributes(id: string, faults: readonly FieldError[], path: string) {
  return faultOf(faults, path) ? { "aria-invalid": "true" as const, "aria-describedby": `${id}-fault` } : {};
}

function faultOf(faults: readonly FieldError[], path: string): FieldError | undefined {
  return faults.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`));
}

/** The message above a refused form, with the errors that belong to none of its fields. */
export function FormFaults({ faults, fields }: { faults: readonly FieldError[]; fields: readonly string[] }) {
  if (faults.length === 0) return null;
  const others = faults.filter(({ path }) => !fields.includes(path.split(".")[0] ?? ""));
  const isRight = faults.every(({ path }) => path === "");
  return (
    <Note kind="danger">
      <p>{isRight ? "Nothing was saved." : "Nothing was saved. Check the highlighted fields."}</p>
      {others.slice(0, 10).map(({ path, message }) => (
        <p>{`${visible(path)} ${message}`.trim()}</p>
      ))}
    </Note>
  );
}

/** A field with its label and hint. */
export function Field({
  id,
  label,
  hint,
  children,
}: {
  id: string;
  label: string;
  hint?: string;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && <p class="hint">{hint}</p>}
      {children}
    </div>
  );
}

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
