import { create } from "@bufbuild/protobuf";
import { callerOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import {
  type ApplyLabelEventRequest,
  type ApplyLabelEventResponse,
  ApplyLabelEventResponseSchema,
} from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql from "sql-template-tag";
import type { TrackingDeps } from "./deps.js";
import { rowAfter } from "./tracking.js";

/**
 * Carries a label event over to its tracking record. Idempotent, and only ever forward: every event holds the whole label, so
 * that `label.voided` makes the record if it comes first, and the late `label.created` then changes nothing.
 */
export async function applyLabelEvent(
  deps: TrackingDeps,
  request: ApplyLabelEventRequest,
): Promise<ApplyLabelEventResponse> {
  const { accountId, environment } = callerOf(request);
  const row = request.event && rowAfter(request.event);
  if (!row) throw fail("internal_error", "The event is no label event.");
  await deps.db.run(sql`
    INSERT INTO tracking_records AS known (
      account_id, environment, tracking_number, status, carrier, label_id, shipment_id, created_at, updated_at)
    VALUES (${accountId}, ${environment}, ${row.trackingNumber}, ${row.status}, ${row.carrier}, ${row.labelId},
      ${row.shipmentId}, ${row.createdAt}, ${row.updatedAt})
    ON CONFLICT (account_id, environment, tracking_number) DO UPDATE
      SET status = CASE known.status WHEN 'voided' THEN known.status ELSE excluded.status END,
        updated_at = greatest(known.updated_at, excluded.updated_at)
      WHERE known.updated_at < excluded.updated_at
        OR (known.status = 'pre_transit' AND excluded.status = 'voided')`);
  return create(ApplyLabelEventResponseSchema);
}
