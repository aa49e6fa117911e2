import type { DerivedRows } from "@shipping/kit/derived/derived-rows";
import type { Routes } from "@shipping/kit/rpc/server";
import { ownerOperationsRoutes } from "@shipping/kit/service/owner-operations";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { countResources, recordsAccountData, recordsMigrations } from "./account-data.js";
import { listLabelCopies, readLabelCopies } from "./read/label-copies.js";
import { getOrder, getShipment, getShipmentForCarrier, listOrders, listShipments } from "./read/read-records.js";
import type { RecordsDeps } from "./search/hash-recent.js";
import { countShipmentsByDay, searchOrders, searchShipments } from "./search/search-records.js";
import { applyLabelEvent, applyLabelEvents } from "./write/apply-label-event.js";
import { createOrder } from "./write/create-order.js";
import { createShipment } from "./write/create-shipment.js";

const its = RecordsService.method;

/** The methods of records that each part, and the operator, may call. */
export const recordsPeers: Peers = {
  gateway: [
    its.createOrder,
    its.getOrder,
    its.listOrders,
    its.createShipment,
    its.getShipment,
    its.listShipments,
    ...LedgerService.methods,
  ],
  operator: [its.getOrder, its.getShipment, LedgerService.method.read, ...OwnerOperationsService.methods],
  portal: [its.getOrder, its.getShipment, its.searchOrders, its.searchShipments, its.countShipmentsByDay],
  carrier: [
    its.getShipmentForCarrier,
    its.applyLabelEvent,
    its.applyLabelEvents,
    its.readLabelCopies,
    its.listLabelCopies,
  ],
};

export function recordsRoutes(deps: RecordsDeps, derived: readonly DerivedRows[] = []): Routes {
  return (router) => {
    deps.ledger.routes(router);
    ownerOperationsRoutes(router, {
      db: deps.db,
      outbox: deps.outbox,
      countResources,
      accountData: recordsAccountData,
      migrations: recordsMigrations,
      derived,
    });
    router.service(RecordsService, {
      createOrder: async (request) => ({ outcome: await createOrder(deps, request) }),
      getOrder: (request) => getOrder(deps, request),
      listOrders: (request) => listOrders(deps, request),
      createShipment: async (request) => ({ outcome: await createShipment(deps, request) }),
      getShipment: (request) => getShipment(deps, request),
      listShipments: (request) => listShipments(deps, request),
      searchOrders: (request) => searchOrders(deps, request),
      searchShipments: (request) => searchShipments(deps, request),
      countShipmentsByDay: (request) => countShipmentsByDay(deps, request),
      getShipmentForCarrier: (request) => getShipmentForCarrier(deps, request),
      applyLabelEvent: (request) => applyLabelEvent(deps, request),
      applyLabelEvents: (request) => applyLabelEvents(deps, request),
      readLabelCopies: (request) => readLabelCopies(deps, request),
      listLabelCopies: (request) => listLabelCopies(deps, request),
    });
  };
}
