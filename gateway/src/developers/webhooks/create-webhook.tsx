import { type FieldError, failureIn } from "@shipping/kit/errors";
import { isId, newId } from "@shipping/kit/ids";
import { z } from "zod";
import { webhookInput } from "../../input/schemas.js";
import { formId } from "../page/form-field.js";
import { AREA_PATH, type HtmlPage, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { createSubscription } from "./subscriptions.js";
import { NewWebhookPage, WebhookForm } from "./webhook-form.js";

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
