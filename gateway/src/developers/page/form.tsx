import type { FieldError } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { z } from "zod";
import type { SignedIn } from "../session/session.js";
import { Note, visible } from "./text.js";

/** The ID of a rendered form. Submitted several times, the form takes effect once. */
export const formId = z.string("is required").refine((id) => isId("form", id), "does not belong to this form");

const ACCOUNT_PARAMETER = "account_id";

type Account = Pick<SignedIn, "accountId">;

/** The account that a page is rendered for. */
export const FormAccount = createContext<Account | undefined>(undefined);

/** A form that changes an account. Its URL names the account: by the time of submission, the browser may be signed in to another one. */
export function AccountForm({ action = "", children }: { action?: string; children: ComponentChildren }) {
  const account = useContext(FormAccount);
  if (!account) throw new Error("An account's form was rendered without an account.");
  return (
    <form method="post" action={`${action}?${ACCOUNT_PARAMETER}=${account.accountId}`}>
      {children}
    </form>
  );
}

/** True if the query of a submitted form names this account and no other. */
export function isFormFor({ accountId }: Account, query: URLSearchParams): boolean {
  const named = query.getAll(ACCOUNT_PARAMETER);
  return named.length > 0 && named.every((id) => id === accountId);
}

/** The submit button of a form, and the link back without submitting. */
export function FormButtons(props: { submit: string; cancel: string; isDangerous?: true }) {
  return (
    <div class="actions">
      <button class={props.isDangerous && "danger-action"} type="submit">
        {props.submit}
      </button>
      <a href={props.cancel}>Cancel</a>
    </div>
  );
}

/** A field with its label and hint. */
export function Field(props: { id: string; label: string; hint?: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={props.id}>{props.label}</label>
      {props.hint && <p class="hint">{props.hint}</p>}
      {props.children}
    </div>
  );
}

/** The error message below a field. `id` is the ID of the field. */
export function ErrorText({ id, errors, path }: { id: string; errors: readonly FieldError[]; path: string }) {
  const found = findError(errors, path);
  if (!found) return null;
  return (
    <p class="fault" id={`${id}-fault`}>
      {`This ${found.message}.`}
    </p>
  );
}

/** The attributes that link a field to its error message. */
export function errorAttributes(id: string, errors: readonly FieldError[], path: string) {
  return findError(errors, path) ? { "aria-invalid": "true" as const, "aria-describedby": `${id}-fault` } : {};
}

function findError(errors: readonly FieldError[], path: string): FieldError | undefined {
  return errors.find((error) => error.path === path || error.path.startsWith(`${path}.`));
}

/** The message above a refused form. It lists the errors that belong to none of the form's fields. */
export function FormErrors({ errors, fields }: { errors: readonly FieldError[]; fields: readonly string[] }) {
  if (errors.length === 0) return null;
  const others = errors.filter(({ path }) => !fields.includes(path.split(".")[0] ?? ""));
  const areFieldsValid = errors.every(({ path }) => path === "");
  return (
    <Note kind="danger">
      <p>{areFieldsValid ? "Nothing was saved." : "Nothing was saved. Check the highlighted fields."}</p>
      {others.slice(0, 10).map(({ path, message }) => (
        <p>{`${visible(path)} ${message}`.trim()}</p>
      ))}
    </Note>
  );
}
