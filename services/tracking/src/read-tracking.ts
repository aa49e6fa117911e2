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
import { type TrackingRow, trackingJson } from "./tracking.js";

/** Reads the record of one of the caller's tracking numbers. */
export async function getTracking(deps: TrackingDeps, request: GetTrackingRequest): Promise<GetTrackingResponse> {
  const row = await findTracking(deps, { caller: requireCaller(request), id: request.trackingNumber });
  if (!row) throw fail("not_found", "No such tracking number.");
  return create(GetTrackingResponseSchema, { data: Buffer.from(trackingJson(row)) });
}

const findTracking = readOwned<TrackingRow>(
  "tracking_number",
  (askedCondition) => sql`
    SELECT tracking_number AS "trackingNumber", status, carrier, label_id AS "labelId", shipment_id AS "shipmentId",
      created_at AS "createdAt", updated_at AS "updatedAt", test
    FROM tracking_records WHERE ${askedCondition}`,
);
