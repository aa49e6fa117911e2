import type { Environment } from "@shipping/kit/caller";
import { failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { z } from "zod";
import { AccountForm, formId } from "../page/form.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { cursorOf, Paging } from "../page/paging.js";
import { checkForm } from "../page/read-form.js";
import { Chips, Note, Text, Time } from "../page/text.js";
import {
  disableSubscription,
  getSubscription,
  listHealth,
  listSubscriptions,
  type Subscription,
} from "./read-subscriptions.js";

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

/** A list of subscriptions: where they point, and how they are. */
function SubscriptionTable(props: {
  subscriptions: readonly Subscription[];
  health: ReadonlyMap<string, SubscriptionHealth>;
  environment: Environment;
  mayChange: boolean;
}) {
  const { subscriptions, health, environment, mayChange } = props;
  const headings = ["Endpoint", "Status", "Last success", "Events", ...(mayChange ? ["Disable"] : [])];
  return (
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {subscriptions.map((subscription) => (
          <Row
            subscription={subscription}
            health={health.get(subscription.id)}
            path={`${AREA_PATH}/${environment}/webhooks/${subscription.id}`}
            mayChange={mayChange}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: {
  subscription: Subscription;
  health: SubscriptionHealth | undefined;
  path: string;
  mayChange: boolean;
}) {
  const { subscription, health, path, mayChange } = props;
  const { id, url, events, status, disabled_at: disabledAt } = subscription;
  return (
    <tr class={status === "active" ? undefined : "over"}>
      <td data-label="Endpoint">
        <span>
          <a href={path}>
            <Text>{url}</Text>
          </a>
          <code class="sub">{id}</code>
        </span>
      </td>
      <td data-label="Status">
        <StateTag state={health?.state ?? status} since={health?.failingSince ?? disabledAt} />
      </td>
      <td data-label="Last success">
        {health?.lastSuccessAt ? <Time at={new Date(health.lastSuccessAt)} /> : "None yet"}
      </td>
      <td data-label="Events">
        <Chips words={events} />
      </td>
      {mayChange && (
        <td>
          {status === "active" && (
            <a class="danger-link" href={`${path}/disable`} aria-label={`Disable ${id}`}>
              Disable
            </a>
          )}
        </td>
      )}
    </tr>
  );
}

const TAGS: Record<string, { words: string; tone: string }> = {
  active: { words: "Active", tone: "good" },
  failing: { words: "Failing", tone: "danger" },
  disabled: { words: "Disabled", tone: "" },
};

/** The state of a subscription, and since when, unless it is as it should be. */
export function StateTag({ state, since }: { state: string; since?: string | undefined }) {
  const { words, tone } = TAGS[state] ?? { words: state, tone: "" };
  return (
    <span>
      <span class={`tag ${tone}`.trim()}>{words}</span>
      {since && (
        <span class="sub">
          since <Time at={new Date(since)} />
        </span>
      )}
    </span>
  );
}
