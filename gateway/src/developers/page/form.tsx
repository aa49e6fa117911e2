import type { FieldError } from "@shipping/kit/errors";
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { visible } from "../../input/text.js";
import type { SignedIn } from "../session/session.js";
import { Note } from "./text.js";

const ACCOUNT_PARAMETER = "account_id";

type Account = Pick<SignedIn, "accountId">;

/** The account that a page is rendered for. */
export const FormAccount = createContext<Account | undefined>(undefined);

/** A form that changes an account. Its URL names the account: by the time of submission, the browser may be signed in to another one. */
export function AccountForm(props: { action?: string; formId?: string; children: ComponentChildren }) {
  const account = useContext(FormAccount);
  if (!account) throw new Error("An account's form was rendered without an account.");
  return (
    <form method="post" action={`${props.action ?? ""}?${ACCOUNT_PARAMETER}=${account.accountId}`}>
      {props.formId && <input type="hidden" name="form_id" value={props.formId} />}
      {props.children}
    </form>
  );
}

export function isFormFor({ accountId }: Account, query: URLSearchParams): boolean {
  const named = query.getAll(ACCOUNT_PARAMETER);
  return named.length > 0 && named.every((id) => id === accountId);
}

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

export function Field(props: { id: string; label: string; hint?: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={props.id}>{props.label}</label>
      {props.hint && <p class="hint">{props.hint}</p>}
      {props.children}
    </div>
  );
}

/** A select of a filter. Its first option filters by nothing. */
export function Choice(props: {
  name: string;
  label: string;
  chosen: string | undefined;
  options: readonly (readonly [value: string, words: string])[];
}) {
  return (
    <Field id={props.name} label={props.label}>
      <select id={props.name} name={props.name}>
        <option value="">All</option>
        {props.options.map(([value, words]) => (
          <option value={value} selected={value === props.chosen}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function ErrorText({ id, errors, path }: { id: string; errors: readonly FieldError[]; path: string }) {
  const found = findError(errors, path);
  if (!found) return null;
  return (
    <p class="fault" id={`${id}-fault`}>
      {`This ${found.message}.`}
    </p>
  );
}

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
      {!areFieldsValid && <p>Nothing was saved. Check the highlighted fields.</p>}
      {others.slice(0, 10).map(({ path, message }) => (
        <p>{`${visible(path)} ${message}`.trim()}</p>
      ))}
    </Note>
  );
}
