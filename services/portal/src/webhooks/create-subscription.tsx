import { ID_FIELD } from "@shipping/api/input/fields";
import { webhookInput } from "@shipping/api/input/schemas";
import { urlForm } from "@shipping/api/input/text";
import type { Environment } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { EVENT_TYPES, eventTypes } from "@shipping/proto/event-types";
import { z } from "zod";
import { AccountForm, Checkboxes, FormButtons, FormErrors, TextField } from "../page/form.js";
import {
  AREA_PATH,
  type HtmlPage,
  htmlPage,
  type PageAnswer,
  type PageDeps,
  type PageRequest,
  unlessNotFound,
} from "../page/page.js";
import { type Form, formId, keepFormId, readField, submitForm, writeByForm } from "../page/read-form.js";
import { Guide, Note, Secret, Text } from "../page/text.js";
import { parseResource } from "../read/read-resources.js";
import { getSubscription } from "../read/read-webhooks.js";

export const subscriptionFields = {
  url: { maxLength: urlForm.maxLength },
  events: { maxLength: 30, most: EVENT_TYPES.length },
  form_id: ID_FIELD,
};
const EXAMPLE_URL = "https://shop.example.com/webhooks";
const subscriptionForm = z.strictObject({ ...webhookInput.shape, form_id: formId });

/** `like` is the ID of a subscription whose URL and events the form begins with. */
export const likeQuery = { like: ID_FIELD };

export async function showSubscriptionForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const id = request.query.get("like") ?? "";
  const like = isId("whk", id) ? await unlessNotFound(getSubscription(deps, { ...request, id })) : undefined;
  const form: Form = new Map([
    ["url", like ? [like.url] : []],
    ["events", like?.events ?? ["label.created", "label.voided"]],
  ]);
  return subscriptionPage(deps, request.environment, form, []);
}

/** `POST …/webhooks/new`. Only this answer shows the secret. The same form, submitted again, leads to the list. */
export async function submitSubscriptionForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, environment } = request;
  const list = `${AREA_PATH}/${environment}/webhooks`;
  return submitForm(form, {
    schema: subscriptionForm,
    fields: subscriptionFields,
    list,
    show: (errors) => subscriptionPage(deps, environment, form, errors.map(inWordsOfTheForm)),
    async act({ form_id: formId, ...body }) {
      const snapshot = await writeByForm(deps, request, { operation: "createSubscription", formId, body });
      if (snapshot.replayed) return { location: list };
      const { secret } = parseResource<{ secret: string }>(snapshot.body);
      return createdPage({ url: body.url, secret, list, environment, guide: deps.guide("webhook-recipes") });
    },
  });
}

/** The API's message about a URL without scheme or host, and about an empty list, in words for a person at a form. */
function inWordsOfTheForm({ path, message }: FieldError): FieldError {
  if (path === "url" && /^(?:is required|must start with https)/.test(message))
    return { path, message: `Enter a full URL, such as ${EXAMPLE_URL}.` };
  if (path === "events" && message === "is required") return { path, message: "Select at least one event." };
  return { path, message };
}

function subscriptionPage(deps: PageDeps, environment: Environment, form: Form, errors: readonly FieldError[]) {
  return htmlPage(
    "Create a subscription",
    <>
      <h1>{environment === "live" ? "Create a live subscription" : "Create a sandbox subscription"}</h1>
      <p>The next page shows the signing secret once. Your receiver needs it to verify that events come from us.</p>
      <FormErrors errors={errors} fields={{ url: "Endpoint URL", events: "Events" }} />
      <AccountForm fields={subscriptionFields} errors={errors} formId={keepFormId(form, deps.random)}>
        <TextField
          name="url"
          label="Endpoint URL"
          hint="The URL of your receiver: https on port 443 with a public host name."
          inputMode="url"
          value={readField(form, "url")}
          placeholder={EXAMPLE_URL}
          autocomplete="off"
        />
        <Checkboxes
          name="events"
          label="Events"
          chosen={form.get("events") ?? []}
          options={EVENT_TYPES.map((type) => [type, eventTypes[type].description.replace(".", "")])}
        />
        <FormButtons submit="Create subscription" cancel={`${AREA_PATH}/${environment}/webhooks`} />
      </AccountForm>
    </>,
  );
}

function createdPage(
  created: Record<"url" | "secret" | "list" | "guide", string> & { environment: Environment },
): HtmlPage {
  const { url, secret, list, environment, guide } = created;
  const body = (
    <>
      <h1>Your new {environment} subscription</h1>
      <Note kind="good">
        <p>
          <strong>Copy the secret now.</strong> It is shown only once. Set it as <code>WEBHOOK_SECRET</code> on the
          server that receives <Text>{url}</Text>.
        </p>
        <Secret list={list}>{secret}</Secret>
      </Note>
      <h2>Verify every delivery</h2>
      <p>
        Before you parse the body, verify <code>Service-Signature</code> against its exact bytes. Respond with any 2xx
        status within ten seconds. Store the event's <code>id</code>, because an event can arrive more than once.
      </p>
      <Guide html={verifyRecipes(guide)} />
      <a href={list}>All subscriptions</a>
    </>
  );
  return { status: 201, title: "Subscription created", secret: true, body };
}

/** The recipes' functions, as the guide has them. */
function verifyRecipes(guide: string): string {
  const [, section = ""] = guide.split('<h2 id="the-function-that-verifies">');
  return section.slice(section.indexOf("</h2>") + "</h2>".length, section.indexOf("<h2"));
}
