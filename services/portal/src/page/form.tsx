import { type Field as DeclaredField, type Fields, ID_FIELD } from "@shipping/api/input/fields";
import { visible } from "@shipping/api/input/text";
import type { FieldError } from "@shipping/kit/errors";
import { type ComponentChildren, type ComponentProps, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SignedIn } from "../session/session.js";
import { confirmationFields } from "./read-form.js";
import { Facts } from "./table.js";
import { Note, START } from "./text.js";

const ACCOUNT_PARAMETER = "account_id";
/** The query of every form that changes an account. */
export const accountQuery = { [ACCOUNT_PARAMETER]: ID_FIELD };

type Account = Pick<SignedIn, "accountId">;

/** The account that a page is rendered for. */
export const FormAccount = createContext<Account | undefined>(undefined);

type Errors = readonly FieldError[];

/** The declaration of the form that is being rendered, and its errors if it was refused. */
const FormState = createContext<{ fields: Fields; errors?: Errors | undefined }>({ fields: {} });

/** A form. The maximum lengths of its fields come from their declaration. An undeclared field cannot be rendered. */
export function Form(props: { fields: Fields; errors?: Errors | undefined } & ComponentProps<"form">) {
  const { fields, errors, children, ...attributes } = props;
  return (
    <form {...attributes}>
      <FormState.Provider value={{ fields, errors }}>{children}</FormState.Provider>
    </form>
  );
}

function useDeclared(name: string): DeclaredField {
  const { fields } = useContext(FormState);
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) throw new Error(`The form does not declare its field ${name}.`);
  return field;
}

/** A form that changes an account. Its URL names the account: by the time of submission, the browser may be signed in to another one. */
export function AccountForm(props: { action?: string; formId?: string | undefined } & ComponentProps<typeof Form>) {
  const { action = "", formId, children, ...form } = props;
  const account = useContext(FormAccount);
  if (!account) throw new Error("An account's form was rendered without an account.");
  return (
    <Form {...form} method="post" action={`${action}?${ACCOUNT_PARAMETER}=${account.accountId}`}>
      {formId && <HiddenField name="form_id" value={formId} />}
      {children}
    </Form>
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

/**
 * Asks before something is ended that cannot be brought back. `children` says what will happen. The form is sent to the path of its page. An
 * `AskLink` leads here; the script shows this in a dialog.
 */
export function Confirmation(props: {
  question: string;
  errors?: Errors;
  facts: ComponentProps<typeof Facts>["facts"];
  submit: string;
  cancel: string;
  formId?: string;
  /** The path to which the form is sent, if it is not that of its page. */
  action?: string;
  children: ComponentChildren;
}) {
  const { question, errors = [], facts, submit, cancel, formId, action, children } = props;
  return (
    <div class="asking">
      <h1>{question}</h1>
      <FormErrors errors={errors} fields={{}} />
      <Note kind="danger">{children}</Note>
      <Facts facts={facts} />
      <AccountForm fields={confirmationFields} formId={formId} {...(action !== undefined && { action })}>
        <FormButtons submit={submit} cancel={cancel} isDangerous />
      </AccountForm>
    </div>
  );
}

interface FieldProps {
  name: string;
  label: string;
  hint?: string | undefined;
}

type Options = readonly (readonly [value: string, words: string])[];

/** A hidden field. */
export function HiddenField({ name, value }: { name: string; value: string | number }) {
  useDeclared(name);
  return <input type="hidden" name={name} value={value} />;
}

/** The types of inputs into which people can enter any text. Browsers know the lengths of the others. */
const TEXT_TYPES: readonly unknown[] = ["text", "search"];

/** An input as it is, without a label. */
export function Input({ name, type = "text", ...attributes }: { name: string } & ComponentProps<"input">) {
  const { maxLength } = useDeclared(name);
  return <input type={type} name={name} {...(TEXT_TYPES.includes(type) && { maxLength })} {...attributes} />;
}

/** A line that has to be filled in. The other attributes are those of its `<input>`. */
export function TextField({ name, label, hint, ...attributes }: FieldProps & ComponentProps<"input">) {
  const error = useError(name);
  return (
    <Field name={name} label={label} hint={hint}>
      <Input name={name} id={name} required {...attributes} {...errorAttributes(name, error)} />
    </Field>
  );
}

/** The first option of a filter, which leaves everything in. */
export const ALL = ["", "All"] as const;

export function Choice(props: FieldProps & { chosen: string | undefined; options: Options }) {
  const { name, chosen, options } = props;
  useDeclared(name);
  return (
    <Field {...props}>
      <select id={name} name={name} {...errorAttributes(name, useError(name))}>
        {options.map(([value, words]) => (
          <option value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Field({ name, label, hint, children }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint && <p class="hint">{hint}</p>}
      {children}
      <ErrorText name={name} />
    </div>
  );
}

/** Options of which any number can be chosen. Each has a label and the API's name. */
export function Checkboxes(props: FieldProps & { chosen: readonly string[]; options: Options }) {
  const { name, label, hint, chosen, options } = props;
  useDeclared(name);
  return (
    <fieldset id={name}>
      <legend>{label}</legend>
      {hint && <p class="hint">{hint}</p>}
      {options.map(([value, words]) => (
        <div class="choice">
          <input type="checkbox" id={value} name={name} value={value} checked={chosen.includes(value)} />
          <label for={value}>{words}</label>
          <code class="sub">{value}</code>
        </div>
      ))}
      <ErrorText name={name} />
    </fieldset>
  );
}

function ErrorText({ name }: { name: string }) {
  const error = useError(name);
  if (!error) return null;
  return (
    <p class="fault" id={`${name}-fault`}>
      {toSentence(error.message)}
    </p>
  );
}

/** The API's messages continue a sentence: "must have at most 10 values". Those of a form may be whole sentences. */
const toSentence = (message: string) => (/^[A-Z]/.test(message) ? message : `This ${message}.`);

function errorAttributes(name: string, error: FieldError | undefined) {
  return error ? { "aria-invalid": "true" as const, "aria-describedby": `${name}-fault` } : {};
}

function useError(name: string): FieldError | undefined {
  const { errors } = useContext(FormState);
  return errors?.find(({ path }) => path === name || path.startsWith(`${name}.`));
}

/**
 * The message above a refused form, where the page begins: it names each field with its error and leads to it, and has the errors that no field
 * shows. `fields` are the labels of the form's fields.
 */
export function FormErrors({ errors, fields }: { errors: Errors; fields: Readonly<Record<string, string>> }) {
  if (errors.length === 0) return null;
  const fieldOf = ({ path }: FieldError) => path.split(".")[0] ?? "";
  const isShown = (error: FieldError) => Object.hasOwn(fields, fieldOf(error));
  const named = Object.entries(fields).flatMap(([name, label]) => {
    const error = errors.find((one) => fieldOf(one) === name);
    return error ? [{ name, label, error }] : [];
  });
  return (
    <div class="note danger" role="alert" {...START}>
      {named.length > 0 && (
        <>
          <p>
            <strong>Nothing was saved.</strong> Correct this, and submit the form again:
          </p>
          <ul>
            {named.map(({ name, label, error }) => (
              <li>
                <a href={`#${name}`}>
                  {label}: {toSentence(error.message)}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {errors
        .filter((error) => !isShown(error))
        .slice(0, 10)
        .map(({ path, message }) => (
          <p>{`${visible(path)} ${message}`.trim()}</p>
        ))}
    </div>
  );
}
