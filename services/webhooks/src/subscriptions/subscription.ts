import type { FieldError } from "@shipping/kit/errors";
import type { Random } from "@shipping/kit/ids";
import { EVENT_TYPES, isEventType, SOME_EVENT_TYPES } from "@shipping/proto/event-types";
import sql, { type Sql } from "sql-template-tag";
import { brokenTargetRule, type TargetRules } from "../egress/target-url.js";

/** A subscription as it is stored, without its secret. */
export interface SubscriptionRow {
  id: string;
  environment: string;
  url: string;
  events: string[];
  status: string;
  createdAt: Date;
  disabledAt: Date | null;
}

export const selectSubscriptions = (condition: Sql): Sql => sql`
  SELECT id, environment, url, events, status, created_at AS "createdAt", disabled_at AS "disabledAt"
  FROM subscriptions WHERE ${condition}`;

/** The public subscription, as JSON text. Only the answer to its creation shows the secret. */
export function subscriptionJson(row: SubscriptionRow, secret?: string): string {
  return JSON.stringify({
    id: row.id,
    object: "webhook",
    url: row.url,
    events: row.events,
    status: row.status,
    livemode: row.environment === "live",
    secret,
    created_at: row.createdAt.toISOString(),
    disabled_at: row.disabledAt?.toISOString(),
  });
}

/** The invalid fields of a new subscription. */
export function fieldsAtFault(request: { url: string; events: readonly string[] }, rules: TargetRules): FieldError[] {
  const fields = urlAtFault(request.url, rules);
  return areEventTypes(request.events) ? fields : [...fields, { path: "events", message: EVENTS_RULE }];
}

/** The rule that a new subscription's `url` breaks, if any. */
export function urlAtFault(url: string, rules: TargetRules): FieldError[] {
  const broken = brokenTargetRule(url, rules);
  return broken ? [{ path: "url", message: broken }] : [];
}

const EVENTS_RULE = `must be ${SOME_EVENT_TYPES} out of ${EVENT_TYPES.join(", ")}`;

function areEventTypes(events: readonly string[]): boolean {
  return events.length > 0 && new Set(events).size === events.length && events.every(isEventType);
}

export function secretIdentity(subscriptionId: string): readonly string[] {
  return ["subscription", subscriptionId];
}

export const SECRET_PREFIX = "whsec_";

/** A new signing secret: `whsec_` and 32 random bytes in padded base64, as Standard Webhooks has it. Older ones are in base64url without padding. */
export function newSecret(random: Random): string {
  return SECRET_PREFIX + Buffer.from(random(32)).toString("base64");
}
