import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { TestDelivery } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { describeFailure } from "../events/failure-words.js";
import { AREA_PATH } from "../page/page.js";
import { Table } from "../page/table.js";
import { Id, Note, Text, Time } from "../page/text.js";
import type { WebhookTest } from "./send-test.js";

interface Result {
  test: WebhookTest;
  refreshes: boolean;
  path: string;
}

export function TestResult({ test, refreshes, path }: Result) {
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
          Event: (row) => <EventCell {...row} />,
          Status: ({ delivery }) => <StatusCell delivery={delivery} />,
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
      <Note kind="danger">
        <p>
          <strong>{what}.</strong> {remedy}{" "}
          <a href="/docs/webhooks#when-deliveries-fail">What to do when deliveries fail</a>
        </p>
      </Note>
    );
  }
  if (test.isComplete) {
    return (
      <Note kind="good">
        <p>
          <strong>Your receiver accepted every event of this test.</strong>
        </p>
      </Note>
    );
  }
  return (
    <Note kind="hint">
      <p>
        {test.isOver
          ? "Some responses did not arrive within two minutes. This page no longer refreshes automatically."
          : refreshes
            ? "Waiting for responses. This page refreshes every two seconds for two minutes."
            : "Waiting for responses."}{" "}
        {refreshes && <a href={`${path}&refresh=off`}>Stop refreshing</a>}
      </p>
    </Note>
  );
}

interface Row {
  type: string;
  /** Undefined while the event has not arrived at the webhooks service. */
  delivery: TestDelivery | undefined;
}

function EventCell({ type, delivery }: Row) {
  return (
    <span>
      <code class="nowrap">{type}</code>
      {delivery && (
        <span class="sub">
          <Id href={`${AREA_PATH}/sandbox/events/${delivery.eventId}`}>{delivery.eventId}</Id>
        </span>
      )}
    </span>
  );
}

function StatusCell({ delivery }: Pick<Row, "delivery">) {
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
