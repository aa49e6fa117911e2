import { ID_FIELD } from "@shipping/api/input/fields";
import { isId, newId } from "@shipping/kit/ids";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { TestDelivery } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { describeFailure } from "../events/failure-words.js";
import { AccountForm } from "../page/form.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { confirmationFields, readFormId } from "../page/read-form.js";
import { Table } from "../page/table.js";
import { Id, Notice, Text, Time } from "../page/text.js";
import { endpointHost, getSubscription, type Subscription } from "../read/read-webhooks.js";
import { limitTests, readTest, sendTest, type WebhookTest } from "./send-test.js";

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
      <Notice kind="hint">
        You can send tests only in the sandbox, because live shipments are real. <a href="/docs/testing">How to test</a>
      </Notice>
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

interface Result {
  test: WebhookTest;
  refreshes: boolean;
  path: string;
}

function TestResult({ test, refreshes, path }: Result) {
  const { shipment, types, deliveries } = test;
  return (
    <>
      <p>
        Sent <Time at={shipment.created_at} /> with shipment{" "}
        <a href={`${AREA_PATH}/sandbox/shipments/${shipment.id}`}>
          <code>{shipment.id}</code>
        </a>
        , reference <Text>{shipment.reference}</Text>.
      </p>
      <Progress test={test} refreshes={refreshes} path={path} />
      <Table
        columns={{
          Event: ({ type, delivery }) => (
            <span>
              <code class="nowrap">{type}</code>
              {delivery && (
                <span class="sub">
                  <Id href={`${AREA_PATH}/sandbox/events/${delivery.eventId}`}>{delivery.eventId}</Id>
                </span>
              )}
            </span>
          ),
          Status: ({ delivery }) => <State delivery={delivery} />,
          Response: ({ delivery }) => (delivery ? describeResponse(delivery) : "None yet"),
          Time: ({ delivery }) => (delivery?.ms === undefined ? "" : `${delivery.ms.toLocaleString("en")} ms`),
          Attempt: ({ delivery }) => (delivery?.attempt ? `${delivery.attempt} of ${MAX_ATTEMPTS}` : ""),
        }}
        rows={types.map((type) => ({ type, delivery: deliveries.find(({ eventType }) => eventType === type) }))}
      />
      <p>
        <a href={path}>Refresh now</a>
      </p>
    </>
  );
}

function Progress({ test, refreshes, path }: Result) {
  const failed = test.deliveries.find(({ failure, state }) => failure && state !== "delivered")?.failure;
  if (failed) {
    const { what, remedy } = describeFailure(failed);
    return (
      <Notice kind="danger">
        <strong>{what}.</strong> {remedy}{" "}
        <a href="/docs/webhook-subscriptions#when-deliveries-fail">What to do when deliveries fail</a>
      </Notice>
    );
  }
  if (test.isComplete) {
    return (
      <Notice kind="good">
        <strong>Your receiver accepted every event of this test.</strong>
      </Notice>
    );
  }
  return (
    <Notice kind="hint">
      {test.isOver
        ? "Some responses did not arrive within two minutes. This page no longer refreshes automatically."
        : refreshes
          ? "Waiting for responses. This page refreshes every two seconds for two minutes."
          : "Waiting for responses."}{" "}
      {refreshes && <a href={`${path}&refresh=off`}>Stop refreshing</a>}
    </Notice>
  );
}

function State({ delivery }: { delivery: TestDelivery | undefined }) {
  const { tone, words } = describeState(delivery);
  return (
    <span>
      <span class={`tag ${tone}`.trim()}>{words}</span>
      {delivery?.nextAt && delivery.failure && (
        <span class="sub">
          next attempt <Time at={delivery.nextAt} />
        </span>
      )}
    </span>
  );
}

/** Without a delivery, the event has not arrived at the webhooks service. */
function describeState(delivery: TestDelivery | undefined): { words: string; tone: string } {
  if (!delivery) return { words: "Waiting for the event", tone: "" };
  if (delivery.state === "delivered") return { words: "Delivered", tone: "good" };
  if (delivery.state === "exhausted") return { words: `Not delivered after ${MAX_ATTEMPTS} attempts`, tone: "danger" };
  if (delivery.state === "cancelled") return { words: "Cancelled", tone: "" };
  if (delivery.state === "in_flight") return { words: "Waiting for the response", tone: "" };
  if (delivery.failure) return { words: "Will be retried", tone: "warning" };
  return { words: "Waiting to be sent", tone: "" };
}

function describeResponse({ status, failure }: TestDelivery): string {
  if (failure) return describeFailure(failure).what;
  return status === undefined ? "None yet" : `Responded with ${status}`;
}
