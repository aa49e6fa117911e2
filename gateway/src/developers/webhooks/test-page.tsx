import type { Environment } from "@shipping/kit/caller";
import { failFields } from "@shipping/kit/errors";
import { isId, newId } from "@shipping/kit/ids";
import type { TestDelivery } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { z } from "zod";
import { AccountForm, formId } from "../page/form.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text } from "../page/text.js";
import { getSubscription, hostOf, listTestDeliveries, type Subscription } from "./read-subscriptions.js";
import { findTest, limitTests, type Shipment, sendTest } from "./send-test.js";
import { TestAnswers } from "./test-answers.js";

const REFRESH_SECONDS = 2;
const WATCHED_MS = 120_000;

const testForm = z.strictObject({ form_id: formId });

/** `POST …/webhooks/{id}/test`: sends a test, and shows its page. The same form again shows the same test. */
export async function submitTest(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { value, faults } = checkForm(testForm, request.form);
  if (!value) throw failFields(faults);
  const subscription = await getSubscription(deps, request);
  const path = `${AREA_PATH}/${request.environment}/webhooks/${subscription.id}`;
  if (request.environment !== "sandbox" || subscription.status !== "active") return { location: `${path}/test` };
  await limitTests(deps, request.session.accountId);
  const shipment = await sendTest(deps, request, subscription, value.form_id);
  return { location: `${path}/test?shipment=${shipment}` };
}

/** `GET …/webhooks/{id}/test`: the answers of the receiver to a test, as they come; without a test, the button that sends one. */
export async function showTest(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const subscription = await getSubscription(deps, request);
  const shipmentId = request.query.get("shipment") ?? "";
  const isTest = isId("shp", shipmentId) && request.environment === "sandbox";
  const test = isTest ? await watch(deps, request, subscription, shipmentId) : undefined;
  const path = `${AREA_PATH}/${request.environment}/webhooks/${subscription.id}`;
  const page = shown(
    "Webhook test",
    <>
      <h1>Test of {hostOf(subscription.url)}</h1>
      <p>
        <Text>{subscription.url}</Text>
      </p>
      {test && <TestAnswers {...test} path={`${path}/test?shipment=${shipmentId}`} />}
      {test && <h2>Send another</h2>}
      <TestForm
        subscription={subscription}
        environment={request.environment}
        mayChange={request.session.role === "admin"}
        formId={newId("form", deps.random)}
      />
      <div class="actions">
        <a href={path}>Health of this subscription</a>
      </div>
    </>,
  );
  return test?.watched ? { ...page, refreshSeconds: REFRESH_SECONDS } : page;
}

/** A test and what is known of its events. */
interface WatchedTest {
  shipment: Shipment;
  /** The types of its events that go to this subscription. */
  types: readonly string[];
  deliveries: readonly TestDelivery[];
  /** Each has been answered once, well or badly. */
  answered: boolean;
  /** The page is loaded anew until they are, or two minutes are over. */
  watched: boolean;
  /** Those are over. */
  over: boolean;
}

async function watch(
  deps: PageDeps,
  request: PageRequest,
  { events: types, status }: Subscription,
  shipmentId: string,
): Promise<WatchedTest> {
  const shipment = await findTest(deps, request, shipmentId);
  const { id, order_id: orderId, created_at: since } = shipment;
  const resourceIds = orderId === undefined ? [id] : [id, orderId];
  const deliveries = await listTestDeliveries(deps, request, { resourceIds, since });
  const answered = types.every((type) =>
    deliveries.some((delivery) => delivery.eventType === type && isAnswered(delivery)),
  );
  const over = deps.now().getTime() - Date.parse(since) > WATCHED_MS;
  const watched = !answered && !over && status === "active" && request.query.get("refresh") !== "off";
  return { shipment, types, deliveries, answered, watched, over };
}

function isAnswered({ state, failure }: TestDelivery): boolean {
  return failure !== undefined || ["delivered", "exhausted", "cancelled"].includes(state);
}

interface About {
  subscription: Subscription;
  environment: Environment;
  mayChange: boolean;
  formId: string;
}

/** How a subscription is tested: by a button, or why there is none. */
export function TestSection(about: About) {
  return (
    <>
      <h2>Send a test</h2>
      <TestForm {...about} />
    </>
  );
}

/** The button, with what it does. */
function TestForm({ subscription, environment, mayChange, formId }: About) {
  if (environment === "live") {
    return (
      <Note kind="hint">
        <p>
          You can send tests only in the sandbox, because live shipments are real.{" "}
          <a href="/docs/testing">How to test</a>
        </p>
      </Note>
    );
  }
  if (subscription.status !== "active") return <p>This subscription is disabled, so nothing is sent to it.</p>;
  if (!mayChange) return <p>Only admins of this account can send a test.</p>;
  return (
    <>
      <p>
        {`${whatItDoes(subscription)} and shows how your receiver responds to the events. `}
        Your other sandbox subscriptions receive these events too.
      </p>
      <AccountForm action={`${AREA_PATH}/${environment}/webhooks/${subscription.id}/test`}>
        <input type="hidden" name="form_id" value={formId} />
        <button type="submit">Send test</button>
      </AccountForm>
    </>
  );
}

/** Lists what a test creates: always a shipment and its label, the rest only if the subscription receives those events. */
function whatItDoes({ events }: Subscription): string {
  const order = events.includes("order.created") ? "an order, " : "";
  const voids = events.includes("label.voided") ? " voids the label," : "";
  return `A test creates ${order}a shipment and a label in the sandbox, marked as a test,${voids}`;
}
