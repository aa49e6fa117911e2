import { isName } from "@shipping/api/input/name";
import type { FieldError } from "@shipping/kit/errors";
import { z } from "zod";
import { recordChange } from "../audit/audit.js";
import { MAX_ENDPOINT_NAME, nameEndpoint, readEndpointNames } from "../database/endpoint-names.js";
import { showUrl } from "../mail/host-name.js";
import { AccountForm, FormButtons, FormErrors, TextField } from "../page/form.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { type Form, readField, submitForm } from "../page/read-form.js";
import { Text } from "../page/text.js";
import { getSubscription, type Subscription } from "../read/read-webhooks.js";

export const nameFields = { name: { maxLength: MAX_ENDPOINT_NAME } };
const rule = `must have at most ${MAX_ENDPOINT_NAME} characters, at least one of them visible, and no control characters`;
const nameForm = z.strictObject({
  name: z
    .string(rule)
    .transform((text) => text.trim())
    .refine((text) => text === "" || (isName(text) && [...text].length <= MAX_ENDPOINT_NAME), rule),
});

/** `GET …/webhooks/{id}/name`: the form that names an endpoint. */
export async function showNameForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const subscription = await getSubscription(deps, request);
  if (subscription.status !== "active") return { location: pathOf(request, subscription) };
  const names = await readEndpointNames(deps, request.session.accountId);
  return namePage(request, subscription, new Map([["name", [names.get(subscription.id) ?? ""]]]), []);
}

/** `POST …/webhooks/{id}/name`. An empty name takes the name away. */
export async function submitNameForm(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, environment, session, actor } = request;
  const subscription = await getSubscription(deps, request);
  const page = pathOf(request, subscription);
  if (subscription.status !== "active") return { location: page };
  return submitForm(form, {
    schema: nameForm,
    fields: nameFields,
    list: page,
    show: (errors) => namePage(request, subscription, form, errors),
    async act({ name }) {
      const { accountId } = session;
      const before = (await readEndpointNames(deps, accountId)).get(subscription.id) ?? "";
      if (name === before) return { location: page };
      await nameEndpoint(deps, { accountId, subscriptionId: subscription.id, name });
      const detail = `${subscription.url}: ${name || "without a name"}`;
      await recordChange(deps, actor, {
        accountId,
        action: "webhook.named",
        environment,
        subject: subscription.id,
        detail,
      });
      return { location: page, done: "endpoint-named" };
    },
  });
}

const pathOf = ({ environment }: PageRequest, { id }: Subscription) => `${AREA_PATH}/${environment}/webhooks/${id}`;

function namePage(request: PageRequest, subscription: Subscription, form: Form, errors: readonly FieldError[]) {
  return htmlPage(
    "Name an endpoint",
    <>
      <h1>Name this endpoint</h1>
      <p>
        The name stands for <Text>{showUrl(subscription.url)}</Text> in lists and histories. Only members of this
        account see it. It is deleted when the subscription is disabled.
      </p>
      <FormErrors errors={errors} fields={{ name: "Name" }} />
      <AccountForm fields={nameFields} errors={errors}>
        <TextField
          name="name"
          label="Name"
          hint="Such as “Warehouse” or “Shop, orders”. Leave it empty to show the host."
          value={readField(form, "name")}
          required={false}
          autocomplete="off"
        />
        <FormButtons submit="Save name" cancel={pathOf(request, subscription)} />
      </AccountForm>
    </>,
  );
}
