import type { DerivedRows } from "@shipping/kit/derived/derived-rows";
import { callContext, type Routes } from "@shipping/kit/rpc/server";
import { ownerOperationsRoutes } from "@shipping/kit/service/owner-operations";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { CarrierOperationsService } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { carrierAccountData, carrierMigrations, countResources } from "./account-data.js";
import { listBookings } from "./bookings/monitor-bookings.js";
import { checkLabel, createLabel } from "./create-label.js";
import type { CarrierDeps } from "./deps.js";
import { quoteRates } from "./quote-rates.js";
import { getLabel, getLabelFile, listLabels } from "./read-labels.js";
import { countLabels, countLabelsByDay, searchLabels } from "./search-labels.js";
import { voidLabel } from "./void-label.js";

const its = CarrierService.method;

/** The methods of carrier that each part, and the operator, may call. */
export const carrierPeers: Peers = {
  gateway: [
    its.quoteRates,
    its.createLabel,
    its.checkLabel,
    its.voidLabel,
    its.getLabel,
    its.listLabels,
    its.getLabelFile,
    ...LedgerService.methods,
  ],
  operator: [
    its.getLabel,
    LedgerService.method.read,
    ...CarrierOperationsService.methods,
    ...OwnerOperationsService.methods,
  ],
  portal: [its.getLabel, its.getLabelFile, its.searchLabels, its.countLabels, its.countLabelsByDay],
};

/** The RPCs of carrier, each one operation. Operations that call neighbours pass on the deadline and the request ID. */
export function carrierRoutes(deps: CarrierDeps, derived: readonly DerivedRows[] = []): Routes {
  return (router) => {
    deps.ledger.routes(router);
    ownerOperationsRoutes(router, {
      db: deps.db,
      outbox: deps.outbox,
      countResources,
      accountData: carrierAccountData,
      migrations: carrierMigrations,
      derived,
    });
    router.service(CarrierService, {
      async quoteRates(request, context) {
        return { outcome: await quoteRates(deps, request, callContext(context)) };
      },
      async createLabel(request, context) {
        return { outcome: await createLabel(deps, request, callContext(context)) };
      },
      checkLabel: (request) => ({ fields: checkLabel(deps, request) }),
      async voidLabel(request, context) {
        return { outcome: await voidLabel(deps, request, callContext(context)) };
      },
      getLabel: (request) => getLabel(deps, request),
      listLabels: (request) => listLabels(deps, request),
      searchLabels: (request) => searchLabels(deps, request),
      countLabels: (request) => countLabels(deps, request),
      countLabelsByDay: (request) => countLabelsByDay(deps, request),
      getLabelFile: (request) => getLabelFile(deps, request),
    });
    router.service(CarrierOperationsService, { listBookings: (request) => listBookings(deps, request) });
  };
}
