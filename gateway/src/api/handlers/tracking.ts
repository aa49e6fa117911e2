import type { CallOptions } from "@connectrpc/connect";
import type { EndpointDeps } from "../deps.js";
import { type Read, rendered } from "../endpoint.js";

export async function getTracking({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.tracking.getTracking({ caller, trackingNumber: id }, options));
}
