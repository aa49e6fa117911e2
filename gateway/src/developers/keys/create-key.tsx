import type { Environment } from "@shipping/kit/caller";
import { type FieldError, failureIn } from "@shipping/kit/errors";
import { isId, newId } from "@shipping/kit/ids";
import { z } from "zod";
import { isName, NAME_RULE } from "../../accounts/manage-accounts.js";
import { type CreatedKey, createKey } from "../../accounts/manage-keys.js";
import { type Scope, scopes } from "../../admission/api-key.js";
import { AccountForm, Fault, Field, FormFaults, faultAttributes, formId } from "../page/form.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text, Time } from "../page/text.js";

const DAY_MS = 86_400_000;

/** Describes in words what each scope allows. */
const SCOPE_WORDS: Record<Scope, string> = {
  "account:read": "View the account's name, limits and capabilities",
  "orders:write": "Create orders",
  "orders:read": "View orders",
  "shipments:write": "Create shipments",
  "shipments:read": "View shipments and tracking",
  "rates:read": "Request rates",
  "labels:write": "Create and void labels",
  "labels:read": "View labels and download their files",
  "webhooks:write": "Create and disable webhook subscriptions",
  "webhooks:read": "View webhook subscriptions",
};

/**
 * Exactly the scopes that the quick starts need: for the account, and from order to label where there is a carrier, otherwise from order to
 * shipment.
 */
export const FIRST_SCOPES: Record<Environment, readonly Scope[]> = {
  sandbox: ["account:read", "orders:write", "shipments:write", "rates:read", "labels:write", "labels:read"],
  live: ["account:read", "orders:write", "shipments:write"],
};

/** For how long a new key may be made; 90 days unless told otherwise. */
const EXPIRIES = { "30d": 30, "90d": 90, "365d": 365, never: undefined } as const;

type Expiry = keyof typeof EXPIRIES;

/** How an expiry is called. */
function expiryWords(expiry: Expiry): string {
  const days = EXPIRIES[expiry];
  return days === undefined ? "Never" : `In ${days} days`;
}

const nameRule = `must have ${NAME_RULE}`;
const keyForm = z.strictObject({
  name: z.string(nameRule).refine(isName, nameRule),
  scopes: z
    .array(z.enum(scopes, "must be chosen from the list"), "must include at least one")
    .refine((chosen) => new Set(chosen).size === chosen.length, "must not be repeated"),
  expires: z.enum(Object.keys(EXPIRIES) as Expiry[], "must be chosen from the list"),
  form_id: formId,
});

/** `GET …/keys/new`. */
export async function showKeyForm(deps: PageDeps, { environment }: PageRequest): Promise<PageAnswer> {
  const values: KeyFormValues = {
    name: environment === "live" ? "Live key" : "Sandbox key",
    scopes: FIRST_SCOPES[environment],
    expires: "90d",
    formId: newId("form", deps.random),
  };
  return shown("Create a key", <KeyForm environment={environment} values={values} faults={[]} />);
}

/** `POST …/keys/new`: the key stands in this answer and nowhere else. The same form again is sent to the list. */
export async function submitKeyForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, environment, session, actor } = request;
  const { value, faults } = checkForm(keyForm, form, ["scopes"]);
  if (!value) return refuseForm(deps, request, 422, faults);
  const { name, scopes: chosen, expires, form_id: id } = value;
  const days = EXPIRIES[expires];
  const wanted = {
    accountId: session.accountId,
    environment,
    name,
    scopes: chosen,
    formId: id,
    ...(days !== undefined && { expiresInMs: days * DAY_MS }),
  };
  const list = `${AREA_PATH}/${environment}/keys`;
  try {
    const created = await createKey(deps, wanted, actor);
    const body = <NewKeyPage created={created} name={name} list={list} />;
    return { status: 201, title: "Key created", secret: true, body };
  } catch (error) {
    const failure = failureIn(error);
    if (failure?.code === "idempotency_conflict") return { location: list };
    // The fields are right: there are as many keys as there may be.
    if (failure?.code !== "invalid_request") throw error;
    return refuseForm(deps, request, 409, [{ path: "", message: failure.message }]);
  }
}

function refuseForm(
  deps: PageDeps,
  { form, environment }: PageRequest,
  status: number,
  faults: readonly FieldError[],
): HtmlPage {
  const sent = (name: string) => form.get(name)?.[0] ?? "";
  const values: KeyFormValues = {
    name: sent("name"),
    scopes: form.get("scopes") ?? [],
    expires: sent("expires"),
    formId: isId("form", sent("form_id")) ? sent("form_id") : newId("form", deps.random),
  };
  const body = <KeyForm environment={environment} values={values} faults={faults} />;
  return { status, title: "Create a key", body };
}

interface KeyFormValues {
  name: string;
  scopes: readonly string[];
  expires: string;
  formId: string;
}

/** The form for a new key, with what was sent before and what was wrong with it. */
function KeyForm({
  environment,
  values,
  faults,
}: {
  environment: Environment;
  values: KeyFormValues;
  faults: readonly FieldError[];
}) {
  return (
    <>
      <h1>{environment === "live" ? "Create a live key" : "Create a sandbox key"}</h1>
      <p>The next page shows the key once. Be ready to store it with your server's other secrets.</p>
      <FormFaults faults={faults} fields={["name", "scopes", "expires"]} />
      <AccountForm>
        <input type="hidden" name="form_id" value={values.formId} />
        <Field id="name" label="Name" hint="The server or program that will use this key.">
          <input
            type="text"
            id="name"
            name="name"
            value={values.name}
            maxLength={200}
            required
            autocomplete="off"
            {...faultAttributes("name", faults, "name")}
          />
          <Fault id="name" faults={faults} path="name" />
        </Field>
        <fieldset>
          <legend>Permissions</legend>
          <p class="hint">
            The selected permissions are enough for the quick start. Add only what this key needs. In the API, a
            permission is called a scope.
          </p>
          {scopes.map((scope) => (
            <div class="choice">
              <input type="checkbox" id={scope} name="scopes" value={scope} checked={values.scopes.includes(scope)} />
              <label for={scope}>{SCOPE_WORDS[scope]}</label>
              <code class="sub">{scope}</code>
            </div>
          ))}
          <Fault id="scopes" faults={faults} path="scopes" />
        </fieldset>
        <Field id="expires" label="Expires" hint="If a key leaks, an expiry date limits the damage.">
          <select id="expires" name="expires" {...faultAttributes("expires", faults, "expires")}>
            {(Object.keys(EXPIRIES) as Expiry[]).map((expiry) => (
              <option value={expiry} selected={values.expires === expiry}>
                {expiryWords(expiry)}
              </option>
            ))}
          </select>
          <Fault id="expires" faults={faults} path="expires" />
        </Field>
        <div class="actions">
          <button type="submit">Create key</button>
          <a href={`${AREA_PATH}/${environment}/keys`}>Cancel</a>
        </div>
      </AccountForm>
    </>
  );
}

/** Shows a key, this once. */
function NewKeyPage({ created, name, list }: { created: CreatedKey; name: string; list: string }) {
  const { key, expiresAt, environment } = created;
  return (
    <>
      <h1>{environment === "live" ? "Your new live key" : "Your new sandbox key"}</h1>
      <Note kind="good">
        <p>
          <strong>Copy it now.</strong> It is shown only once. We store only a hash, so nobody can look it up later.
        </p>
        <output id="secret" data-copy data-list={list}>
          {key}
        </output>
      </Note>
      <dl>
        <dt>Name</dt>
        <dd>
          <Text>{name}</Text>
        </dd>
        <dt>Expires</dt>
        <dd>{expiresAt ? <Time at={expiresAt} /> : "Never"}</dd>
      </dl>
      <p>Keep the key on your server. Never put it in browsers, mobile apps, repositories or URLs.</p>
      <div class="actions">
        {environment === "sandbox" && (
          <a class="button" href={`${AREA_PATH}/quick-start`}>
            Create your first label
          </a>
        )}
        <a href={list}>All keys</a>
      </div>
    </>
  );
}
