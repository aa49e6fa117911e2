import type { Environment } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import { scopes } from "../../admission/api-key.js";
import { AccountForm } from "../page/account-form.js";
import { Fault, Field, FormFaults, faultAttributes } from "../page/form-field.js";
import { AREA_PATH } from "../page/page.js";
import { EXPIRIES, type Expiry, expiryWords, SCOPE_WORDS } from "./key-scopes.js";

export interface KeyFormValues {
  name: string;
  scopes: readonly string[];
  expires: string;
  formId: string;
}

/** The form for a new key, with what was sent before and what was wrong with it. */
export function KeyForm({
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
