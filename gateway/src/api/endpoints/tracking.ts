import type { CallOptions } from "@connectrpc/connect";
import { TrackingSchema } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import type { EndpointDeps } from "../deps.js";
import type { Read } from "../endpoint.js";
import { one } from "../respond.js";

export async function getTracking({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  const { tracking } = await clients.tracking.getTracking({ caller, trackingNumber: id }, options);
  return one(TrackingSchema, tracking);
}
