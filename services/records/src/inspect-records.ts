import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { originIn } from "@shipping/kit/ledger/origin";
import { readOwned } from "@shipping/kit/postgres/read-owned";
import {
  type InspectOrderRequest,
  type InspectOrderResponse,
  InspectOrderResponseSchema,
  type InspectShipmentRequest,
  type InspectShipmentResponse,
  InspectShipmentResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { orderJson } from "./order.js";
import { type SharedRow, sharedColumns } from "./shared-fields.js";
import { type ShipmentRow, shipmentJson } from "./shipment.js";

/** Reads one order of the caller, and who made it. */
export async function inspectOrder(deps: RecordsDeps, request: InspectOrderRequest): Promise<InspectOrderResponse> {
  const row = await findOrder(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", "No such order.");
  return create(InspectOrderResponseSchema, { data: Buffer.from(orderJson(row)), created: originIn(row.origin) });
}

/** Reads one shipment of the caller, and who made it. */
export async function inspectShipment(
  deps: RecordsDeps,
  request: InspectShipmentRequest,
): Promise<InspectShipmentResponse> {
  const row = await findShipment(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", "No such shipment.");
  return create(InspectShipmentResponseSchema, { data: Buffer.from(shipmentJson(row)), created: originIn(row.origin) });
}

/** The origin of a row's creation. */
interface OriginRow {
  origin: string | null;
}

const findOrder = readOwned<SharedRow & OriginRow>(
  "id",
  (askedCondition) => sql`SELECT ${sharedColumns}, origin FROM orders WHERE ${askedCondition}`,
);

const findShipment = readOwned<ShipmentRow & OriginRow>(
  "id",
  (askedCondition) => sql`
    SELECT ${sharedColumns}, order_id AS "orderId", label_id AS "labelId", origin
    FROM shipments WHERE ${askedCondition}`,
);
