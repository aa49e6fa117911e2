import { ID_FIELD } from "@shipping/api/input/fields";
import { isId, newId } from "@shipping/kit/ids";
import { AccountForm } from "../page/form.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { confirmationFields, readFormId } from "../page/read-form.js";
import { Note, Text } from "../page/text.js";
import { endpointHost, getSubscription, type Subscription } from "../read/read-subscriptions.js";
import { limitTests, readTest, sendTest } from "./send-test.js";
import { TestResult } from "./test-result.js";

export const testQuery = { shipment: ID_FIELD, refresh: { maxLength: 3 } };

const REFRESH_SECONDS = 2;

/** `POST …/webhooks/{id}/test`: sends a test and redirects to it. The same form, submitted again, leads to the same test. */
export async function submitTest(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const formId = readFormId(request.form);
  const subscription = await getSubscription(deps, request);
  const path = `${AREA_PATH}/${request.environment}/webhooks/${subscription.id}/test`;
  if (request.environment !== "sandbox" || subscription.status !== "active") return { location: path };
  await limitTests(deps, request.session.accountId);
  const shipmentId = await sendTest(deps, request, subscription, formId);
  return { location: `${path}?shipment=${shipmentId}` };
}

/** `GET …/webhooks/{id}/test?shipment=`: how the receiver responds to a test. Without a shipment, only the button that sends a test. */
export async function showTest(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, query } = request;
  const subscription = await getSubscription(deps, request);
  const shipmentId = query.get("shipment") ?? "";
  const isTest = isId("shp", shipmentId) && environment === "sandbox";
  const test = isTest ? await readTest(deps, request, subscription, shipmentId) : undefined;
  const isPending = test && !test.isComplete && !test.isOver && subscription.status === "active";
  const refreshes = isPending && query.get("refresh") !== "off";
  const path = `${AREA_PATH}/${environment}/webhooks/${subscription.id}`;
  const page = htmlPage(
    "Webhook test",
    <>
      <h1>Test of {endpointHost(subscription.url)}</h1>
      <p>
        <Text>{subscription.url}</Text>
      </p>
      {test && <TestResult test={test} refreshes={refreshes === true} path={`${path}/test?shipment=${shipmentId}`} />}
      {test && <h2>Send another test</h2>}
      <TestForm deps={deps} request={request} subscription={subscription} />
      <div class="actions">
        <a href={path}>Health of this subscription</a>
      </div>
    </>,
  );
  return refreshes ? { ...page, refreshSeconds: REFRESH_SECONDS } : page;
}

/** The button that sends a test, or why there is none. */
export function TestForm(props: { deps: PageDeps; request: PageRequest; subscription: Subscription }) {
  const { deps, request, subscription } = props;
  const { environment, session } = request;
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
  if (session.role !== "admin") return <p>Only admins of this account can send a test.</p>;
  const order = subscription.events.includes("order.created") ? "an order, " : "";
  const voids = subscription.events.includes("label.voided") ? " voids the label," : "";
  return (
    <>
      <p>
        {`A test creates ${order}a shipment and a label in the sandbox, marked as a test,${voids} and shows how your receiver responds to the events. `}
        Your other sandbox subscriptions receive these events too.
      </p>
      <AccountForm
        fields={confirmationFields}
        action={`${AREA_PATH}/${environment}/webhooks/${subscription.id}/test`}
        formId={newId("form", deps.random)}
      >
        <button type="submit">Send test</button>
      </AccountForm>
    </>
  );
}
