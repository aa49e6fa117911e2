import type { FieldError } from "@shipping/kit/errors";
import { type ComponentChildren, type ComponentProps, createContext } from "preact";
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

interface FieldProps {
  name: string;
  label: string;
  hint?: string | undefined;
  /** The errors of the whole form. */
  errors?: readonly FieldError[];
}

type Options = readonly (readonly [value: string, words: string])[];

/** A line that has to be filled in. The other attributes are those of its `<input>`. */
export function TextField({ name, label, hint, errors = [], ...attributes }: FieldProps & ComponentProps<"input">) {
  return (
    <Field name={name} label={label} hint={hint} errors={errors}>
      <input type="text" id={name} name={name} required {...attributes} {...errorAttributes(name, errors)} />
    </Field>
  );
}

/** The first option of a filter: it filters by nothing. */
export const ALL = ["", "All"] as const;

export function Choice(props: FieldProps & { chosen: string | undefined; options: Options }) {
  const { name, chosen, options, errors = [] } = props;
  return (
    <Field {...props}>
      <select id={name} name={name} {...errorAttributes(name, errors)}>
        {options.map(([value, words]) => (
          <option value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Field({ name, label, hint, errors = [], children }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && <p class="hint">{hint}</p>}
      {children}
      <ErrorText name={name} errors={errors} />
    </div>
  );
}

/** Options of which any number can be chosen, each with its words and the API's name for it. */
export function Checkboxes(props: FieldProps & { chosen: readonly string[]; options: Options }) {
  const { name, label, hint, errors = [], chosen, options } = props;
  return (
    <fieldset>
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {options.map(([value, words]) => (
        <div class="choice">
          <input type="checkbox" id={value} name={name} value={value} checked={chosen.includes(value)} />
          <label for={value}>{words}</label>
          <code class="sub">{value}</code>
        </div>
      ))}
      <ErrorText name={name} errors={errors} />
    </fieldset>
  );
}

function ErrorText({ name, errors }: { name: string; errors: readonly FieldError[] }) {
  const found = findError(errors, name);
  if (!found) return null;
  return (
    <p class="fault" id={`${name}-fault`}>
      {`This ${found.message}.`}
    </p>
  );
}

function errorAttributes(name: string, errors: readonly FieldError[]) {
  return findError(errors, name) ? { "aria-invalid": "true" as const, "aria-describedby": `${name}-fault` } : {};
}

function findError(errors: readonly FieldError[], name: string): FieldError | undefined {
  return errors.find(({ path }) => path === name || path.startsWith(`${name}.`));
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
