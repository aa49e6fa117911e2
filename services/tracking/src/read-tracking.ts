import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { selectFrom } from "@shipping/kit/postgres/columns";
import { type ReadDeps, readOwned } from "@shipping/kit/postgres/owned/read-owned";
import type { GetTrackingRequest } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { trackingColumns, trackingJson } from "./tracking.js";

export async function getTracking(deps: ReadDeps, request: GetTrackingRequest) {
  const row = await findTracking(deps, { caller: requireCaller(request), id: request.trackingNumber });
  if (!row)
    throw fail(
      "not_found",
      "No such tracking number. Send that of a label in the account and environment of your API key.",
    );
  return { data: Buffer.from(trackingJson(row)) };
}

const findTracking = readOwned("tracking_number", selectFrom("tracking_records", trackingColumns));
