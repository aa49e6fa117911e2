import type { Environment } from "@shipping/kit/caller";
import { type FieldError, failureIn } from "@shipping/kit/errors";
import { isId, newId } from "@shipping/kit/ids";
import { EVENT_TYPES, eventTypes } from "@shipping/proto/event-types";
import { z } from "zod";
import { webhookInput } from "../../input/schemas.js";
import { CodeTabs } from "../../site/code-example.js";
import { AccountForm, Fault, Field, FormFaults, faultAttributes, formId } from "../page/form.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text } from "../page/text.js";
import { createSubscription } from "./read-subscriptions.js";

const webhookForm = z.strictObject({ ...webhookInput.shape, form_id: formId });

/** `GET …/webhooks/new`. */
export async function showWebhookForm(deps: PageDeps, { environment }: PageRequest): Promise<PageAnswer> {
  const values = { url: "", events: ["label.created", "label.voided"], formId: newId("form", deps.random) };
  return shown("Create a subscription", <WebhookForm environment={environment} values={values} faults={[]} />);
}

/** `POST …/webhooks/new`: the secret stands in this answer and nowhere else. The same form again is sent to the list. */
export async function submitWebhookForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, environment } = request;
  const { value, faults } = checkForm(webhookForm, form, ["events"]);
  if (!value) return refuseForm(deps, request, 422, faults);
  const list = `${AREA_PATH}/${environment}/webhooks`;
  const { form_id, url, events } = value;
  try {
    const created = await createSubscription(deps, request, { url, events, formId: form_id });
    if (!created) return { location: list };
    const body = <NewWebhookPage url={url} secret={created.secret} list={list} environment={environment} />;
    return { status: 201, title: "Subscription created", secret: true, body };
  } catch (error) {
    const failure = failureIn(error);
    // The same form with other words in it.
    if (failure?.code === "idempotency_conflict") return { location: list };
    if (!failure || ![409, 422].includes(failure.status)) throw error;
    const told = failure.fields.length > 0 ? failure.fields : [{ path: "", message: failure.message }];
    return refuseForm(deps, request, failure.status, told);
  }
}

function refuseForm(
  deps: PageDeps,
  { form, environment }: PageRequest,
  status: number,
  faults: readonly FieldError[],
): HtmlPage {
  const sent = form.get("form_id")?.[0] ?? "";
  const values = {
    url: form.get("url")?.[0] ?? "",
    events: form.get("events") ?? [],
    formId: isId("form", sent) ? sent : newId("form", deps.random),
  };
  const body = <WebhookForm environment={environment} values={values} faults={faults} />;
  return { status, title: "Create a subscription", body };
}

/** The form for a new subscription, with what was sent before and what was wrong with it. */
function WebhookForm({
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
function NewWebhookPage(props: { url: string; secret: string; list: string; environment: Environment }) {
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

// The recipes of `docs/webhooks.md`. A test compares them with the guide.

/** How a receiver on Node verifies a delivery. */
export const NODE_RECIPE = `import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

/** \`body\` is the raw bytes of the request, \`now\` the time in Unix seconds. */
export function verify(secret, header, body, now = Date.now() / 1000) {
  const [, time, digest] = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (!time || Math.abs(now - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac("sha256", secret).update(\`\${time}.\`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(digest, "hex"));
}`;

/** The same in Python. */
export const PYTHON_RECIPE = `import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300
HEADER = re.compile("t=([0-9]{1,12}),v1=([0-9a-f]{64})")


def verify(secret, header, body, now=None):
    """\`body\` is the raw bytes of the request, \`now\` the time in Unix seconds."""
    parts = HEADER.fullmatch(header)
    if parts is None:
        return False
    sent, digest = parts.groups()
    if now is None:
        now = time.time()
    if abs(now - int(sent)) > TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret.encode(), sent.encode() + b"." + body, hashlib.sha256)
    return hmac.compare_digest(expected.hexdigest(), digest)`;
