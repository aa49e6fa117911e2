import type { ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import type { Routes } from "@shipping/kit/rpc/server";
import { ownerOperationsRoutes } from "@shipping/kit/service/owner-operations";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { countResources, trackingAccountData, trackingMigrations } from "./account-data.js";
import { applyLabelEvent, applyLabelEvents } from "./apply-label-event.js";
import { listLabelCopies, readLabelCopies, removeLabelCopies } from "./label-copies.js";
import { getTracking } from "./read-tracking.js";

const its = TrackingService.method;

/** The methods of tracking that each part, and the operator, may call. */
export const trackingPeers: Peers = {
  gateway: [its.getTracking],
  operator: OwnerOperationsService.methods,
  portal: [its.getTracking],
  carrier: [its.applyLabelEvent, its.applyLabelEvents, its.readLabelCopies, its.listLabelCopies, its.removeLabelCopies],
};

export function trackingRoutes(deps: ReadDeps): Routes {
  return (router) => {
    ownerOperationsRoutes(router, {
      db: deps.db,
      countResources,
      accountData: trackingAccountData,
      migrations: trackingMigrations,
    });
    router.service(TrackingService, {
      getTracking: (request) => getTracking(deps, request),
      applyLabelEvent: (request) => applyLabelEvent(deps, request),
      applyLabelEvents: (request) => applyLabelEvents(deps, request),
      readLabelCopies: (request) => readLabelCopies(deps, request),
      listLabelCopies: (request) => listLabelCopies(deps, request),
      removeLabelCopies: (request) => removeLabelCopies(deps, request),
    });
  };
}
