import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type {
  Delivery,
  ShowEventResponse,
  ShowSubscriptionResponse,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { toFacts, toTable } from "../tools/print.js";

const MAX_PENDING = 10_000;

/** Outcomes of resending, as they are printed after a number of deliveries. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  resent: "resent",
  in_flight: "not resent: an attempt is in progress; try again when it has ended",
  disabled: "not resent: the subscription is disabled",
  not_found: "not found",
};

const HEADINGS = ["EVENT", "TYPE", "ARRIVED", "STATE", "ATTEMPT", "NEXT", "LAST"];

export function describeDeliveries(deliveries: readonly Delivery[]): string {
  return toTable(HEADINGS, deliveries.map(deliveryRow));
}

function deliveryRow(delivery: Delivery): string[] {
  const { eventId, eventType, receivedAt, state, attempt, nextAt = "", lastStatus, lastError = "" } = delivery;
  const last = lastStatus === undefined ? lastError : `status ${lastStatus}`;
  return [eventId, eventType, receivedAt, state, `${attempt} of ${MAX_ATTEMPTS}`, nextAt, last];
}

export function describeEvent(
  { id, type, accountId, environment, receivedAt, deliveries }: ShowEventResponse,
  sent: unknown,
) {
  const facts = { event: id, type, account: accountId, environment, arrived: receivedAt };
  return [toFacts(facts), describeOutcomes(deliveries), JSON.stringify(sent, null, 2)].join("\n\n");
}

/** The deliveries of one event. */
export function describeOutcomes(deliveries: readonly Delivery[]): string {
  const rows = deliveries.map((one) => [one.subscriptionId, ...deliveryRow(one).slice(3), one.url]);
  if (rows.length === 0) return "No active subscription matched it when it arrived.";
  return toTable(["SUBSCRIPTION", ...HEADINGS.slice(3), "URL"], rows);
}

export function describeSubscription(shown: ShowSubscriptionResponse): string {
  const { lastFailureAt, lastFailureReason, lastFailureStatus } = shown;
  const why = lastFailureStatus === undefined ? lastFailureReason : `status ${lastFailureStatus}`;
  return toFacts({
    subscription: shown.id,
    account: shown.accountId,
    environment: shown.environment,
    url: shown.url,
    events: shown.events.join(" "),
    status: shown.status,
    created: shown.createdAt,
    disabled: shown.disabledAt,
    pending: shown.pending === MAX_PENDING ? `${MAX_PENDING} or more` : String(shown.pending),
    "next due": shown.nextDue,
    "in flight": String(shown.inFlight),
    "failed in a row": String(shown.failStreak),
    "last success": shown.lastSuccessAt,
    "last failure": lastFailureAt && `${lastFailureAt}${why ? `, ${why}` : ""}`,
    "failing since": shown.failingSince,
  });
}
