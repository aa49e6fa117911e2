import { fail } from "@shipping/kit/errors";
import sql from "sql-template-tag";
import type { z } from "zod";
import type { label, order, rate, shipment } from "../../api/resources.js";
import { clock } from "../../database/deps.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { callerOfPage, type PageDeps, type PageRequest } from "../page/page.js";
import { writeByForm } from "../page/write-by-form.js";
import { parsed, type Subscription } from "./read-subscriptions.js";

/** A shipment as the API shows it. */
export type Shipment = z.infer<typeof shipment>;

const MAX_TESTS = 10;

const PARCEL = { weight_kg: 1, length_cm: 30, width_cm: 20, height_cm: 10 };
const FROM = { name: "Webhook test", street1: "Teststraße 1", city: "Berlin", postal_code: "10115", country: "DE" };
const TO = { name: "Webhook test", street1: "1 Test Street", city: "London", postal_code: "SW1A 1AA", country: "GB" };

/** The reference of a test's shipment, so that everybody recognizes it. */
export const referenceOf = (subscriptionId: string) => `Webhook test ${subscriptionId}`;

/**
 * Makes a sandbox shipment and its label by the API's own writes, and what else the subscription waits for: an order, a void. Each step
 * is named by the form, so a form that is sent again, after a failure for instance, goes on where it was. Answers the shipment's id.
 */
export async function sendTest(
  deps: PageDeps,
  request: PageRequest,
  { id, events }: Subscription,
  formId: string,
): Promise<string> {
  const step = async <Resource>(row: string, body: unknown, resource = ""): Promise<Resource> => {
    const name = row.replace(/^POST \/|\{id\}\//g, "").replace("/", "-");
    const snapshot = await writeByForm(deps, request, { row, id: resource, formId, step: name, body });
    return parsed<Resource>(snapshot.body);
  };
  const record = { reference: referenceOf(id), from: FROM, to: TO, parcel: PARCEL, metadata: { webhook_test: id } };
  const ordered = events.includes("order.created") && (await step<z.infer<typeof order>>("POST /orders", record));
  const made = await step<Shipment>("POST /shipments", { ...record, ...(ordered && { order_id: ordered.id }) });
  const [quoted] = await step<z.infer<typeof rate>[]>("POST /rates", { shipment_id: made.id });
  const labelled = { shipment_id: made.id, rate_id: quoted?.id };
  const { id: labelId } = await step<z.infer<typeof label>>("POST /labels", labelled);
  if (events.includes("label.voided")) await step("POST /labels/{id}/void", {}, labelId);
  return made.id;
}

/** The shipment of a test of that subscription; any other is missing. */
export async function findTest(deps: PageDeps, request: PageRequest, shipmentId: string): Promise<Shipment> {
  const wanted = { caller: callerOfPage(request), id: shipmentId };
  const { data } = await answered(deps.clients.records.getShipment(wanted, callOptions(request)));
  const found = parsed<Shipment>(data);
  if (found.reference !== referenceOf(request.id)) throw fail("not_found");
  return found;
}

/** Counts a test of an account, and refuses it if ten came before it in this minute. */
export async function limitTests(deps: Pick<PageDeps, "db" | "clockOffsetMs">, accountId: string): Promise<void> {
  const counted = await deps.db.run(sql`
    WITH this_minute AS (SELECT date_trunc('minute', ${clock(deps)}) AS start)
    INSERT INTO webhook_tests AS counter (account_id, since, tests) SELECT ${accountId}, start, 1 FROM this_minute
    ON CONFLICT (account_id) DO UPDATE SET
      tests = CASE WHEN counter.since = excluded.since THEN counter.tests + 1 ELSE 1 END, since = excluded.since
    WHERE counter.tests < ${MAX_TESTS} OR counter.since <> excluded.since
    RETURNING tests`);
  if (counted.length === 0)
    throw fail("rate_limited", `You can send up to ${MAX_TESTS} tests a minute. Try again in a minute.`);
}
