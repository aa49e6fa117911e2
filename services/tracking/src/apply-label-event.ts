import { create } from "@bufbuild/protobuf";
import { type Caller, requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import {
  type ApplyLabelEventRequest,
  type ApplyLabelEventResponse,
  ApplyLabelEventResponseSchema,
} from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql from "sql-template-tag";
import type { TrackingDeps } from "./deps.js";
import { rowAfter, type TrackingRow } from "./tracking.js";

/**
 * Applies a label event to its tracking record. Events that wait share a statement. Idempotent, and the status only moves forward: every
 * event holds the whole label, so `label.voided` creates the record if it comes first, and the late `label.created` then changes nothing.
 */
export async function applyLabelEvent(
  deps: TrackingDeps,
  request: ApplyLabelEventRequest,
): Promise<ApplyLabelEventResponse> {
  const caller = requireCaller(request);
  const row = request.event && rowAfter(request.event);
  if (!row) throw fail("internal_error", "The event is not a label event.");
  await advanceRecord(deps, { caller, ...row });
  return create(ApplyLabelEventResponseSchema);
}

interface Change extends TrackingRow {
  caller: Caller;
}

const advanceRecord = microBatchOperation<TrackingDeps, Change, void>({
  keyOf: ({ caller, trackingNumber }) => `${caller.accountId} ${caller.environment} ${trackingNumber}`,
  async run({ db }, changes) {
    await db.run(sql`
      INSERT INTO tracking_records AS known (
        account_id, environment, tracking_number, status, carrier, label_id, shipment_id, created_at, updated_at, test)
      SELECT * FROM unnest(
        ${changes.map(({ caller }) => caller.accountId)}::text[], ${changes.map(({ caller }) => caller.environment)}::text[],
        ${changes.map((row) => row.trackingNumber)}::text[], ${changes.map((row) => row.status)}::text[],
        ${changes.map((row) => row.carrier)}::text[], ${changes.map((row) => row.labelId)}::text[],
        ${changes.map((row) => row.shipmentId)}::text[],
        ${changes.map((row) => row.createdAt)}::timestamptz[], ${changes.map((row) => row.updatedAt)}::timestamptz[], ${changes.map((row) => row.test)}::boolean[]
      ) AS change (account_id, environment, tracking_number)
      ORDER BY account_id, environment, tracking_number
      ON CONFLICT (account_id, environment, tracking_number) DO UPDATE
        SET status = CASE known.status WHEN 'voided' THEN known.status ELSE excluded.status END,
          updated_at = greatest(known.updated_at, excluded.updated_at)
        WHERE known.updated_at < excluded.updated_at
          OR (known.status = 'pre_transit' AND excluded.status = 'voided')`);
    return [];
  },
});
