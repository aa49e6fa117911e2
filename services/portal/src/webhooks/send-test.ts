import type { label, order, rate, shipment } from "@shipping/api/resources";
import { fail } from "@shipping/kit/errors";
import { databaseNow } from "@shipping/kit/postgres/clock";
import type { TestDelivery } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { z } from "zod";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";
import { writeByForm } from "../page/read-form.js";
import { HISTORY_TYPES, parseResource, readLabel, readOrder, readShipment } from "../read/read-resources.js";
import { endpointHost, type Subscription } from "../read/read-webhooks.js";
import { TEST_NAME } from "../resources/record-table.js";

type Shipment = z.infer<typeof shipment>;

/** Maximum number of tests per account and minute. */
const MAX_TESTS = 10;
const MAX_WAIT_MS = 120_000;

const PARCEL = { weight_kg: 1, length_cm: 30, width_cm: 20, height_cm: 10 };
const FROM = { name: "Webhook test", street1: "Teststraße 1", city: "Berlin", postal_code: "10115", country: "DE" };
const TO = { name: TEST_NAME, street1: "1 Test Street", city: "London", postal_code: "SW1A 1AA", country: "GB" };

/** Maximum length of a reference. */
const MAX_REFERENCE = 200;

/** The name of a test, for people. Its metadata names the subscription. */
const testReference = (url: string) => `${TEST_NAME} of ${endpointHost(url)}`.slice(0, MAX_REFERENCE);

/** Counts a test of an account, and refuses it from the eleventh in a minute on. */
export async function limitTests(deps: Pick<PageDeps, "db" | "clockOffsetMs">, accountId: string): Promise<void> {
  const counted = await deps.db.run(sql`
    WITH this_minute AS (SELECT date_trunc('minute', ${databaseNow(deps)}) AS start)
    INSERT INTO webhook_tests AS counter (account_id, since, tests) SELECT ${accountId}, start, 1 FROM this_minute
    ON CONFLICT (account_id) DO UPDATE SET
      tests = CASE WHEN counter.since = excluded.since THEN counter.tests + 1 ELSE 1 END, since = excluded.since
    WHERE counter.tests < ${MAX_TESTS} OR counter.since <> excluded.since
    RETURNING tests`);
  if (counted.length > 0) return;
  throw fail("rate_limited", `You can send up to ${MAX_TESTS} tests a minute. Try again in a minute.`);
}

/** The writes of a test, by the names that tell their idempotency keys apart. */
const STEPS = {
  orders: "createOrder",
  shipments: "createShipment",
  rates: "quoteRates",
  labels: "createLabel",
  "labels-void": "voidLabel",
} as const;

/**
 * Causes the events of a subscription: creates a sandbox shipment with its label and, if the subscription receives these events, an order
 * and a void. All are writes of the API. Each has an idempotency key made from the form's ID, so a form that is submitted again continues
 * where it failed. Returns the ID of the shipment.
 */
export async function sendTest(
  deps: PageDeps,
  request: PageRequest,
  { id, url, events }: Subscription,
  formId: string,
): Promise<string> {
  const write = async <Resource>(step: keyof typeof STEPS, body: unknown, id = ""): Promise<Resource> => {
    const wanted = { operation: STEPS[step], id, formId, step, body };
    return parseResource((await writeByForm(deps, request, wanted)).body);
  };
  const content = { reference: testReference(url), from: FROM, to: TO, parcel: PARCEL, metadata: { webhook_test: id } };
  const created = events.includes("order.created") && (await write<z.infer<typeof order>>("orders", content));
  const shipment = await write<Shipment>("shipments", { ...content, ...(created && { order_id: created.id }) });
  const [quoted] = await write<z.infer<typeof rate>[]>("rates", { shipment_id: shipment.id });
  const purchase = { shipment_id: shipment.id, rate_id: quoted?.id };
  const { id: labelId } = await write<z.infer<typeof label>>("labels", purchase);
  if (events.includes("label.voided")) await write("labels-void", {}, labelId);
  return shipment.id;
}

/** A test and the deliveries of its events. */
export type WebhookTest = Awaited<ReturnType<typeof readTest>>;

/** Reads a test of a subscription; 404 if the shipment is not from one of its tests. */
export async function readTest(deps: PageDeps, request: PageRequest, { events }: Subscription, shipmentId: string) {
  const { shipment, history } = await readShipment(deps, request, shipmentId);
  if (shipment.metadata?.webhook_test !== request.id) throw fail("not_found");
  const { order_id: orderId, label_id: labelId, created_at: createdAt } = shipment;
  const others = await Promise.all([
    orderId ? readOrder(deps, request, orderId) : undefined,
    labelId ? readLabel(deps, request, labelId) : undefined,
  ]);
  const caused = [history, ...others.map((other) => other?.history ?? [])].flat();
  const eventIds = caused.flatMap(({ origin }) => origin?.eventId || []);
  const wanted = { subscriptionId: request.id, eventIds };
  const { deliveries } = await ask(request, deps.clients.webhooks.listTestDeliveries, wanted);
  // Deliveries are found by the events in the histories, so the test waits for no other types.
  const types = HISTORY_TYPES.filter((type) => events.includes(type));
  // The receiver has responded to all events, or their first attempts have failed.
  const isComplete = types.every((type) =>
    deliveries.some((delivery) => delivery.eventType === type && hasOutcome(delivery)),
  );
  const isOver = deps.now().getTime() - Date.parse(createdAt) > MAX_WAIT_MS;
  return { shipment, types, deliveries, isComplete, isOver };
}

function hasOutcome({ state, failure }: TestDelivery): boolean {
  return failure !== undefined || ["delivered", "exhausted", "cancelled"].includes(state);
}
