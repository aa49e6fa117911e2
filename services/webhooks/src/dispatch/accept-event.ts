import { toBinary } from "@bufbuild/protobuf";
import { isId } from "@shipping/kit/ids";
import { isEventType } from "@shipping/proto/event-types";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { type Sql } from "sql-template-tag";
import type { RefusalKind } from "../stream/inbox.js";
import { clock } from "../subscriptions/deps.js";
import type { Capacity, ClaimedDelivery } from "./attempts.js";
import { LEASE_MS } from "./delivery.js";
import type { DispatchDeps } from "./deps.js";
import { isOnHold, MAX_IN_FLIGHT, unhealthy } from "./ready-queue.js";

/** The maximum number of events that one statement stores. */
export const ACCEPT_BATCH = 128;

const MAX_INSERTED_CLAIMED = 128;

/** The time for which events wait on the bus for slots for their first attempts. There they cost less than as pending deliveries. */
const SLOT_WAIT_MS = 100;

/** A delivery that was just inserted; `claimId` is null if it is pending. */
interface Inserted extends Pick<ClaimedDelivery, "accountId" | "subscriptionId" | "eventId" | "url" | "sealedSecret"> {
  claimId: string | null;
}

/**
 * Stores events and creates a delivery of each for every active subscription to it, in one statement. If this process and the subscription
 * have a free slot, the statement also claims the first attempt, which is made right after the commit. Events of an erased account are
 * dropped.
 */
export async function acceptEvents(
  deps: DispatchDeps,
  arrived: readonly Event[],
  slotWaitMs = SLOT_WAIT_MS,
): Promise<void> {
  const events: Event[] = [];
  for (const event of arrived) {
    const reason = deadLetterReason(event);
    if (reason) await deadLetterEvent(deps, toBinary(EventSchema, event), "unreadable", reason, event.id);
    else events.push(event);
  }
  if (events.length === 0) return;
  const byId = new Map(events.map((event) => [event.id, event]));
  await deps.attempts.waitForSlots(events.length, slotWaitMs);
  let pending = 0;
  await deps.attempts.claim(MAX_INSERTED_CLAIMED, async (capacity) => {
    const inserted = await store(deps, events, capacity);
    const claimed: ClaimedDelivery[] = [];
    for (const { claimId, ...delivery } of inserted) {
      if (!claimId) continue;
      const { body, traceparent } = byId.get(delivery.eventId)!;
      claimed.push({ ...delivery, claimId, attempt: 1, unhealthy: false, body, traceparent });
    }
    pending = inserted.length - claimed.length;
    return claimed;
  });
  deps.metrics.countAccepted(events.length);
  if (pending > 0) deps.wakeDispatcher();
}

/**
 * Stores a message that is refused in `dead_events`, with the kind of the refusal and the reason. Both texts may quote the message. U+0000 is replaced,
 * because PostgreSQL refuses it: the message would be delivered again and again.
 */
export async function deadLetterEvent(
  deps: DispatchDeps,
  message: Uint8Array,
  kind: RefusalKind,
  reason: string,
  eventId?: string,
): Promise<void> {
  deps.metrics.countDeadLetter();
  deps.log.error({ event: eventId, kind, reason }, "event dead-lettered");
  await deps.db.run(sql`
    WITH ${clock(deps)}
    INSERT INTO dead_events (event_id, message, kind, reason, received_at)
    SELECT ${eventId !== undefined && isId("evt", eventId) ? eventId : null}, ${message},
      ${kind}, ${reason.replaceAll("\u0000", "\ufffd")}, now
    FROM clock`);
}

/** Returns the reason why an event cannot be accepted; undefined if it can. */
export function deadLetterReason(event: Event): string | undefined {
  if (!isId("evt", event.id)) return "the event ID is malformed";
  if (!isId("acc", event.accountId)) return "the account ID is malformed";
  if (!isEventType(event.type)) return "the event type is unknown";
  if (event.environment !== "sandbox" && event.environment !== "live") return "the environment is unknown";
  return undefined;
}

/**
 * Stores the events, and inserts a delivery for each subscription that wants one of them. Locks are taken in one order: events, ready queue,
 * deliveries, each sorted. Returns the deliveries, with what an attempt needs.
 */
function store(deps: DispatchDeps, events: readonly Event[], { free }: Capacity): Promise<Inserted[]> {
  return deps.db.run<Inserted>(sql`
    WITH ${clock(deps)},
    stored AS (${insertEvents(events)}),
    wanted AS (${selectWanted}),
    numbered AS (${lockAndNumber}),
    assigned AS (${assignSlots(free)}),
    inserted AS (${insertDeliveries})
    SELECT account_id AS "accountId", subscription_id AS "subscriptionId", event_id AS "eventId", claim_id AS "claimId", url, secret AS "sealedSecret"
    FROM assigned`);
}

/** Inserts the events that have not arrived before, except those of erased accounts. */
const insertEvents = (events: readonly Event[]): Sql => sql`
  INSERT INTO events (id, type, account_id, environment, body, traceparent, received_at)
  SELECT arrived.id, arrived.type, arrived.account_id, arrived.environment, arrived.body, arrived.traceparent,
    clock.now
  FROM clock, unnest(
    ${events.map((event) => event.id)}::text[],
    ${events.map((event) => event.type)}::text[],
    ${events.map((event) => event.accountId)}::text[],
    ${events.map((event) => event.environment)}::text[],
    ${events.map((event) => event.body)}::bytea[],
    ${events.map((event) => event.traceparent || null)}::text[]
  ) AS arrived (id, type, account_id, environment, body, traceparent)
  WHERE NOT EXISTS (SELECT FROM held_accounts WHERE account_id = arrived.account_id AND erased_at IS NOT NULL)
  ORDER BY arrived.id
  ON CONFLICT (id) DO NOTHING
  RETURNING id, type, account_id, environment`;

/**
 * Selects the active subscriptions to the stored events. OFFSET 0 forces a lookup per row: a join that was planned while the table was
 * small would scan all of it.
 */
const selectWanted = sql`
  SELECT stored.account_id, s.id AS subscription_id, s.url, s.secret, s.on_hold, array_agg(stored.id) AS event_ids
  FROM stored CROSS JOIN LATERAL (
    SELECT id, url, secret, ${isOnHold} AS on_hold FROM subscriptions
    WHERE account_id = stored.account_id AND environment = stored.environment AND status = 'active'
      AND stored.type = ANY (events)
    OFFSET 0) AS s
  GROUP BY stored.account_id, s.id, s.url, s.secret, s.on_hold
  ORDER BY s.id`;

/**
 * Locks the subscriptions' rows of the ready queue, all of them, because the triggers will lock them, too. Under the lock, `in_flight` is
 * exact, and `open` says that the subscription is healthy and has nothing older to send. Numbers the events of each subscription: an
 * event `fits` if the subscription may have that many more in flight.
 */
const lockAndNumber = sql`
  SELECT wanted.*, each.event_id, each.ordinal, queue.open AND NOT on_hold AND queue.in_flight + each.ordinal <= ${MAX_IN_FLIGHT} AS fits
  FROM wanted
  CROSS JOIN LATERAL (
    SELECT in_flight, NOT ${unhealthy} AND (next_due IS NULL OR next_due > (SELECT now FROM clock)) AS open
    FROM ready_queue WHERE subscription_id = wanted.subscription_id FOR UPDATE) AS queue
  CROSS JOIN LATERAL unnest(wanted.event_ids) WITH ORDINALITY AS each (event_id, ordinal)`;

/** Gives the free slots of this process to deliveries that fit: to the first of each subscription, then to the second. Each gets a claim. */
const assignSlots = (free: number): Sql => sql`
  SELECT numbered.*,
    CASE WHEN fits AND row_number() OVER (PARTITION BY fits ORDER BY ordinal) <= ${free} THEN gen_random_uuid() END AS claim_id
  FROM numbered`;

/** Inserts the deliveries: those with a claim are in flight, and the others are due now. */
const insertDeliveries = sql`
  INSERT INTO deliveries (account_id, subscription_id, event_id, state, attempt, next_at, lease_until, claim_id)
  SELECT account_id, subscription_id, event_id,
    CASE WHEN claim_id IS NULL THEN 'pending' ELSE 'in_flight' END,
    (claim_id IS NOT NULL)::integer,
    CASE WHEN claim_id IS NULL THEN now END,
    CASE WHEN claim_id IS NOT NULL THEN now + ${LEASE_MS}::float8 * interval '1 ms' END,
    claim_id
  FROM assigned, clock`;
