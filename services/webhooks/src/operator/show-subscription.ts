import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import type { Database } from "@shipping/kit/postgres/database";
import {
  type ShowSubscriptionRequest,
  ShowSubscriptionResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql from "sql-template-tag";

const MAX_PENDING = 10_000;

interface Row {
  id: string;
  accountId: string;
  environment: string;
  url: string;
  events: string[];
  status: string;
  createdAt: Date;
  disabledAt: Date | null;
  nextDue: Date | null;
  inFlight: number;
  pending: number;
  failStreak: number;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  lastFailureReason: string | null;
  lastFailureStatus: number | null;
  failingSince: Date | null;
}

/** Reads a subscription of any account with its health and its backlog. */
export async function showSubscription(deps: { db: Database }, { id }: ShowSubscriptionRequest) {
  const [row] = await deps.db.run<Row>(sql`
    SELECT s.id, s.account_id AS "accountId", s.environment, s.url, s.events, s.status, s.created_at AS "createdAt",
      s.disabled_at AS "disabledAt", q.next_due AS "nextDue", q.in_flight AS "inFlight", q.fail_streak AS "failStreak",
      (SELECT count(*)::integer FROM (
        SELECT FROM deliveries WHERE subscription_id = s.id AND state = 'pending' LIMIT ${MAX_PENDING}) AS waiting) AS pending,
      h.last_success_at AS "lastSuccessAt", h.last_failure_at AS "lastFailureAt", h.failing_since AS "failingSince",
      h.last_failure_reason AS "lastFailureReason", h.last_failure_status AS "lastFailureStatus"
    FROM subscriptions AS s JOIN ready_queue AS q ON q.subscription_id = s.id
    LEFT JOIN subscription_health AS h ON h.subscription_id = s.id
    WHERE s.id = ${id}`);
  if (!row) throw fail("not_found", `No such webhook subscription: ${id}.`);
  const present = Object.entries(row).filter(([, value]) => value !== null);
  const facts = present.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]);
  return create(ShowSubscriptionResponseSchema, Object.fromEntries(facts));
}
