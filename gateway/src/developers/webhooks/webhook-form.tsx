import type { Environment } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import { EVENT_TYPES, eventTypes } from "@shipping/proto/event-types";
import { CodeTabs } from "../../site/code-example.js";
import { AccountForm } from "../page/account-form.js";
import { Fault, Field, FormFaults, faultAttributes } from "../page/form-field.js";
import { AREA_PATH } from "../page/page.js";
import { Note, Text } from "../page/text.js";
import { NODE_RECIPE, PYTHON_RECIPE } from "./recipes.js";

/** The form for a new subscription, with what was sent before and what was wrong with it. */
export function WebhookForm({
  environment,
  values,
  faults,
}: {
  environment: Environment;
  values: { url: string; events: readonly string[]; formId: string };
  faults: readonly FieldError[];
}) {
  return (
    <>
      <h1>{environment === "live" ? "Create a live subscription" : "Create a sandbox subscription"}</h1>
      <p>The next page shows the signing secret once. Your receiver needs it to verify that events come from us.</p>
      <FormFaults faults={faults} fields={["url", "events"]} />
      <AccountForm>
        <input type="hidden" name="form_id" value={values.formId} />
        <Field
          id="url"
          label="Endpoint URL"
          hint="The URL of your receiver: https on port 443 with a public host name."
        >
          <input
            type="text"
            inputMode="url"
            id="url"
            name="url"
            value={values.url}
            placeholder="https://shop.example.com/webhooks"
            required
            autocomplete="off"
            {...faultAttributes("url", faults, "url")}
          />
          <Fault id="url" faults={faults} path="url" />
        </Field>
        <fieldset>
          <legend>Events to send</legend>
          {EVENT_TYPES.map((type) => (
            <div class="choice">
              <input type="checkbox" id={type} name="events" value={type} checked={values.events.includes(type)} />
              <label for={type}>{eventTypes[type].description.replace(".", "")}</label>
              <code class="sub">{type}</code>
            </div>
          ))}
          <Fault id="events" faults={faults} path="events" />
        </fieldset>
        <div class="actions">
          <button type="submit">Create subscription</button>
          <a href={`${AREA_PATH}/${environment}/webhooks`}>Cancel</a>
        </div>
      </AccountForm>
    </>
  );
}

/** Shows a subscription's secret, this once, and how to verify with it. */
export function NewWebhookPage(props: { url: string; secret: string; list: string; environment: Environment }) {
  const { url, secret, list, environment } = props;
  return (
    <>
      <h1>Your new {environment} subscription</h1>
      <Note kind="good">
        <p>
          <strong>Copy the secret now.</strong> It is shown only once. Set it at the receiver for <Text>{url}</Text> as{" "}
          <code>WEBHOOK_SECRET</code>.
        </p>
        <output id="secret" data-copy data-list={list}>
          {secret}
        </output>
      </Note>
      <h2>Verify every delivery</h2>
      <p>
        Before you parse the body, verify <code>Service-Signature</code> against its exact bytes. Respond with any 2xx
        status within ten seconds. Store the event's <code>id</code>, because an event can arrive more than once.
      </p>
      <CodeTabs
        blocks={[
          { language: "js", code: NODE_RECIPE },
          { language: "python", code: PYTHON_RECIPE },
        ]}
      />
      <a href={list}>All subscriptions</a>
    </>
  );
}
