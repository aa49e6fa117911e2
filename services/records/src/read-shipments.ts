import { create } from "@bufbuild/protobuf";
import { callerOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { listOwned } from "@shipping/kit/postgres/list-owned";
import { readOwned } from "@shipping/kit/postgres/read-owned";
import {
  type GetShipmentRequest,
  type GetShipmentResponse,
  GetShipmentResponseSchema,
  type ListShipmentsRequest,
  type ListShipmentsResponse,
  ListShipmentsResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { sharedColumns } from "./shared-fields.js";
import { type ShipmentRow, shipmentOf } from "./shipment.js";

/** Reads one shipment of the caller. */
export async function getShipment(deps: RecordsDeps, request: GetShipmentRequest): Promise<GetShipmentResponse> {
  const row = await findShipment(deps, { caller: callerOf(request), id: request.id });
  if (!row) throw fail("not_found", "No such shipment.");
  return create(GetShipmentResponseSchema, { shipment: shipmentOf(row) });
}

const shipmentColumns = sql`${sharedColumns}, order_id AS "orderId", label_id AS "labelId"`;

const findShipment = readOwned<ShipmentRow>(
  "id",
  (isAsked) => sql`SELECT ${shipmentColumns} FROM shipments WHERE ${isAsked}`,
);

/** Reads one page of the caller's shipments. */
export async function listShipments(deps: RecordsDeps, request: ListShipmentsRequest): Promise<ListShipmentsResponse> {
  const { rows, nextCursor } = await findShipments(deps, request);
  return create(ListShipmentsResponseSchema, {
    shipments: rows.map(shipmentOf),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  });
}

const findShipments = listOwned<ShipmentRow>(
  (isAsked) => sql`SELECT ${shipmentColumns} FROM shipments WHERE ${isAsked}`,
);
