import { newApiKey, type Scope, scopes } from "@shipping/api/api-key";
import { ID_FIELD } from "@shipping/api/input/fields";
import { isName, MAX_NAME_LENGTH, NAME_RULE } from "@shipping/api/input/name";
import type { Environment } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import { Outage } from "@shipping/kit/rpc/outage";
import { z } from "zod";
import { AccountForm, Checkboxes, Choice, FormButtons, FormErrors, TextField } from "../page/form.js";
import {
  AREA_PATH,
  ask,
  type HtmlPage,
  htmlPage,
  type PageAnswer,
  type PageDeps,
  type PageRequest,
} from "../page/page.js";
import { type Form, formId, keepFormId, readField, submitForm } from "../page/read-form.js";
import { Facts } from "../page/table.js";
import { Guide, Note, Secret, Text, Time } from "../page/text.js";

/** The actions that each permission allows, in words. */
export const SCOPE_WORDS: Record<Scope, string> = {
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

/** The scopes that are preselected: all in the sandbox, so that every step of the guides works, and those that a shop needs first in live. */
const FIRST_SCOPES: Record<Environment, readonly Scope[]> = {
  sandbox: scopes,
  live: ["account:read", "orders:write", "shipments:write"],
};

const DAY_MS = 86_400_000;
const EXPIRY_DAYS = { "30d": 30, "90d": 90, "365d": 365, never: undefined } as const;
type Expiry = keyof typeof EXPIRY_DAYS;
const EXPIRIES = Object.keys(EXPIRY_DAYS) as Expiry[];

const nameRule = `must have ${NAME_RULE}`;
export const keyFields = {
  name: { maxLength: MAX_NAME_LENGTH },
  scopes: { maxLength: 30, most: scopes.length },
  expires: { maxLength: 10 },
  form_id: ID_FIELD,
};
const keyForm = z.strictObject({
  name: z.string(nameRule).refine(isName, nameRule),
  scopes: z
    .array(z.enum(scopes, "must be chosen from the list"), "Select at least one permission.")
    .refine((chosen) => new Set(chosen).size === chosen.length, "must not be repeated"),
  expires: z.enum(EXPIRIES, "must be chosen from the list"),
  form_id: formId,
});

export async function showKeyForm(deps: PageDeps, { environment }: PageRequest): Promise<PageAnswer> {
  const form: Form = new Map<string, readonly string[]>([
    ["name", [environment === "live" ? "Live key" : "Sandbox key"]],
    ["scopes", FIRST_SCOPES[environment]],
    ["expires", ["90d"]],
  ]);
  return keyPage(deps, environment, form, []);
}

/** `POST …/keys/new`. Only this answer shows the key. The same form, submitted again, leads to the list. */
export async function submitKeyForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, environment } = request;
  const list = `${AREA_PATH}/${environment}/keys`;
  return submitForm(form, {
    schema: keyForm,
    fields: keyFields,
    list,
    show: (errors) => keyPage(deps, environment, form, errors),
    async act(wanted) {
      const created = await createKey(deps, request, wanted);
      return createdPage(created, { name: wanted.name, environment, list, guide: deps.guide("quick-start") });
    },
  });
}

interface CreatedKey {
  key: string;
  expiresAt: string | undefined;
}

/** Makes a key, and has its hash stored. If the response is lost, the same call is repeated, which creates no second key. */
export async function createKey(
  deps: Pick<PageDeps, "access" | "random">,
  request: PageRequest,
  { name, scopes, expires, form_id: formId }: z.infer<typeof keyForm>,
): Promise<CreatedKey> {
  const days = EXPIRY_DAYS[expires];
  const { key, hash, lastFour } = newApiKey(request.environment, deps.random);
  const expiresInMs = days === undefined ? undefined : BigInt(days * DAY_MS);
  const wanted = { actor: request.actor, name, scopes, formId, hash, lastFour, expiresInMs };
  const call = () => ask(request, deps.access.createKey, wanted);
  const { expiresAt } = await call().catch((error) => {
    if (error instanceof Outage) return call();
    throw error;
  });
  return { key, expiresAt };
}

function keyPage(deps: PageDeps, environment: Environment, form: Form, errors: readonly FieldError[]): HtmlPage {
  const advice =
    environment === "sandbox" ? "All are selected, so that every guide works." : "Select only what this key needs.";
  return htmlPage(
    "Create a key",
    <>
      <h1>{environment === "live" ? "Create a live key" : "Create a sandbox key"}</h1>
      <p>The next page shows the key once. Be ready to store it with your server's other secrets.</p>
      <FormErrors errors={errors} fields={{ name: "Name", scopes: "Permissions", expires: "Expires" }} />
      <AccountForm fields={keyFields} errors={errors} formId={keepFormId(form, deps.random)}>
        <TextField
          name="name"
          label="Name"
          hint="The server or program that will use this key."
          value={readField(form, "name")}
          autocomplete="off"
        />
        <Checkboxes
          name="scopes"
          label="Permissions"
          hint={`${advice} In the API, a permission is called a scope.`}
          chosen={form.get("scopes") ?? []}
          options={Object.entries(SCOPE_WORDS)}
        />
        <Choice
          name="expires"
          label="Expires"
          hint="If a key leaks, an expiry date limits the damage."
          chosen={readField(form, "expires")}
          options={Object.entries(EXPIRY_DAYS).map(([name, days]) => [name, days ? `In ${days} days` : "Never"])}
        />
        <FormButtons submit="Create key" cancel={`${AREA_PATH}/${environment}/keys`} />
      </AccountForm>
    </>,
  );
}

function createdPage(
  { key, expiresAt }: CreatedKey,
  { name, environment, list, guide }: { name: string; environment: Environment; list: string; guide: string },
): HtmlPage {
  const body = (
    <>
      <h1>{environment === "live" ? "Your new live key" : "Your new sandbox key"}</h1>
      <Note kind="good">
        <p>
          <strong>Copy it now.</strong> It is shown only once. We store only a hash, so nobody can look it up later.
        </p>
        <Secret list={list}>{key}</Secret>
      </Note>
      <Facts facts={{ Name: <Text>{name}</Text>, Expires: expiresAt ? <Time at={expiresAt} /> : "Never" }} />
      <p>Keep the key on your server. Never put it in browsers, mobile apps, repositories or URLs.</p>
      <p>
        <a href={list}>All keys</a>
      </p>
      {environment === "sandbox" && (
        <>
          <h2>Create your first label</h2>
          <div class="secret">
            <Guide html={guide.slice(guide.indexOf("<p>Set the base URL")).replaceAll("YOUR_SANDBOX_KEY", key)} />
          </div>
        </>
      )}
    </>
  );
  return { status: 201, title: "Key created", secret: true, body };
}
