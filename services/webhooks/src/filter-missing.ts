import { create } from "@bufbuild/protobuf";
import {
  type FilterMissingRequest,
  type FilterMissingResponse,
  FilterMissingResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { WebhooksDeps } from "./deps.js";

/** Says which events have not arrived. A dead one has: to send it again would not help. */
export async function filterMissing(deps: WebhooksDeps, request: FilterMissingRequest): Promise<FilterMissingResponse> {
  const missing = await deps.db.run<{ id: string }>(sql`
    SELECT asked.id FROM unnest(${request.eventIds}::text[]) AS asked (id)
    WHERE NOT EXISTS (SELECT FROM events WHERE events.id = asked.id)
      AND NOT EXISTS (SELECT FROM dead_events WHERE dead_events.event_id = asked.id)`);
  return create(FilterMissingResponseSchema, { missingEventIds: missing.map((row) => row.id) });
}
