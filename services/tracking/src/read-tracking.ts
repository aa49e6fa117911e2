import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { readOwned } from "@shipping/kit/postgres/read-owned";
import {
  type GetTrackingRequest,
  type GetTrackingResponse,
  GetTrackingResponseSchema,
} from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql from "sql-template-tag";
import type { TrackingDeps } from "./deps.js";
import { type TrackedRow, trackingJson } from "./tracking.js";

/** Reads the record of one of the caller's tracking numbers. */
export async function getTracking(deps: TrackingDeps, request: GetTrackingRequest): Promise<GetTrackingResponse> {
  const row = await findTracking(deps, { caller: requireCaller(request), id: request.trackingNumber });
  if (!row) throw fail("not_found", "No such tracking number.");
  return create(GetTrackingResponseSchema, { data: Buffer.from(trackingJson(row)) });
}

const findTracking = readOwned<TrackedRow>(
  "tracking_number",
  (askedCondition) => sql`
    SELECT tracking_number AS "trackingNumber", status, carrier, label_id AS "labelId", shipment_id AS "shipmentId",
      created_at AS "createdAt", updated_at AS "updatedAt", test, movement,
      CASE WHEN scanned_at IS NULL THEN '[]'::json ELSE (
        SELECT json_agg(json_build_object('id', id, 'status', status, 'at', at, 'message', message) ORDER BY at, id) FROM scans
        WHERE (account_id, environment, tracking_number) = (asked.account_id, asked.environment, asked.id)) END AS scans
    FROM tracking_records WHERE ${askedCondition}`,
);
