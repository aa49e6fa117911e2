import { failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { z } from "zod";
import { AccountForm } from "../page/account-form.js";
import { formId } from "../page/form-field.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { cursorOf, Paging } from "../page/paging.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text } from "../page/text.js";
import { listHealth } from "./health.js";
import { SubscriptionTable } from "./subscription-table.js";
import { disableSubscription, getSubscription, listSubscriptions } from "./subscriptions.js";

/** `GET …/webhooks`. */
export async function showWebhooks(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const { subscriptions, nextCursor } = await listSubscriptions(deps, request);
  const ids = subscriptions.map(({ id }) => id);
  const health = ids.length > 0 ? await listHealth(deps, request, ids) : new Map();
  const base = `${AREA_PATH}/${environment}/webhooks`;
  const mayChange = session.role === "admin";
  const create = mayChange && (
    <a class="button" href={`${base}/new`}>
      Create subscription
    </a>
  );
  return shown(
    "Webhooks",
    <>
      <div class="head">
        <div>
          <h1>{environment === "live" ? "Live webhooks" : "Sandbox webhooks"}</h1>
          <p>Each subscription sends events of this environment to a URL of yours, signed with its own secret.</p>
        </div>
        {subscriptions.length > 0 && create}
      </div>
      {subscriptions.length === 0 ? (
        <div class="empty">
          <p>
            There are no {environment} subscriptions yet. Without one, your programs have to poll the API for changes.
          </p>
          {create}
        </div>
      ) : (
        <SubscriptionTable
          subscriptions={subscriptions}
          health={health}
          environment={environment}
          mayChange={mayChange}
        />
      )}
      <Paging path={base} after={cursorOf(request.query, "whk")} next={nextCursor} />
    </>,
  );
}

/** `GET …/webhooks/{id}/disable`: asks. */
export async function confirmDisable(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const list = `${AREA_PATH}/${request.environment}/webhooks`;
  const { url, status } = await getSubscription(deps, request);
  if (status === "disabled") return { location: list };
  return shown(
    "Disable a subscription",
    <>
      <h1>Disable this {request.environment} subscription?</h1>
      <Note kind="danger">
        <p>
          We stop sending events to this endpoint, including pending retries. An event that is already on its way can
          still arrive. You cannot undo this. A new subscription gets a new secret.
        </p>
      </Note>
      <dl>
        <dt>Endpoint</dt>
        <dd>
          <Text>{url}</Text>
        </dd>
      </dl>
      <AccountForm>
        <input type="hidden" name="form_id" value={newId("form", deps.random)} />
        <div class="actions">
          <button class="danger-action" type="submit">
            Disable subscription
          </button>
          <a href={list}>Cancel</a>
        </div>
      </AccountForm>
    </>,
  );
}

const disableForm = z.strictObject({ form_id: formId });

/** `POST …/webhooks/{id}/disable`. */
export async function submitDisable(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { value, faults } = checkForm(disableForm, request.form);
  if (!value) throw failFields(faults);
  await disableSubscription(deps, request, value.form_id);
  return { location: `${AREA_PATH}/${request.environment}/webhooks` };
}
