import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/owned";
import {
  type ApplyScansRequest,
  type ApplyScansResponse,
  ApplyScansResponseSchema,
} from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql, { raw } from "sql-template-tag";
import type { TrackingDeps } from "./deps.js";
import { SCAN_STATUSES, type ScanRow } from "./tracking.js";

const MAX_SCANS = 100;

/**
 * Adds a carrier's scans to their tracking record. They may come again, late, and in any order: each counts once, and the latest by its own
 * time gives the status (`SCAN_STATUSES` decides between equal times). A void is final.
 */
export async function applyScans(deps: TrackingDeps, request: ApplyScansRequest): Promise<ApplyScansResponse> {
  const caller = requireCaller(request);
  const { trackingNumber } = request;
  const scans = request.scans.map(
    ({ id, status, at, message }): ScanRow => ({ id, status, at: new Date(at), message }),
  );
  if (scans.length === 0 || scans.length > MAX_SCANS || !scans.every(isScan)) {
    throw fail("internal_error", "The scans are not a carrier's.");
  }
  // Compares the record as it is once it is locked: this statement's snapshot may lack what another statement has just added.
  const known = await deps.db.run(sql`
    WITH known AS (
      SELECT account_id, environment, tracking_number FROM tracking_records
      WHERE ${ownedSql(caller)} AND tracking_number = ${trackingNumber}),
    scan AS (
      SELECT * FROM unnest(
        ${scans.map(({ id }) => id)}::text[], ${scans.map(({ status }) => status)}::text[],
        ${scans.map(({ at }) => at)}::timestamptz[], ${scans.map(({ message }) => message)}::text[]
      ) AS scan (id, status, at, message)),
    stored AS (
      INSERT INTO scans (account_id, environment, tracking_number, id, status, at, message)
      SELECT account_id, environment, tracking_number, id, status, at, message FROM known CROSS JOIN scan ORDER BY id
      ON CONFLICT DO NOTHING),
    latest AS (SELECT status, at, ${rankOf("status")} AS rank FROM scan ORDER BY at DESC, rank DESC LIMIT 1)
    UPDATE tracking_records AS record
    SET movement = CASE
        WHEN (record.scanned_at, ${rankOf("record.movement")}) >= (latest.at, latest.rank) THEN record.movement
        ELSE latest.status END,
      scanned_at = greatest(record.scanned_at, latest.at), updated_at = greatest(record.updated_at, latest.at)
    FROM latest WHERE ${ownedSql(caller)} AND tracking_number = ${trackingNumber}
    RETURNING record.tracking_number`);
  if (known.length === 0) throw fail("not_found", "No such tracking number.");
  return create(ApplyScansResponseSchema);
}

const rankOf = (column: "status" | "record.movement") => sql`array_position(${SCAN_STATUSES}::text[], ${raw(column)})`;

function isScan({ id, status, at }: ScanRow): boolean {
  return id !== "" && SCAN_STATUSES.includes(status) && !Number.isNaN(at.getTime());
}
