import type { ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import type { Service } from "@shipping/kit/service/run-service";
import { trackingPeers, trackingRoutes } from "./rpc.js";

/** Starts tracking: only its RPCs, because carrier brings the events to it. */
export async function startTracking(deps: ReadDeps): Promise<Service> {
  return { routes: trackingRoutes(deps), peers: trackingPeers, async stop() {} };
}
