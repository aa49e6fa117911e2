import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { listOwned } from "@shipping/kit/postgres/list-owned";
import { readOwned } from "@shipping/kit/postgres/read-owned";
import {
  type GetShipmentForCarrierRequest,
  type GetShipmentForCarrierResponse,
  GetShipmentForCarrierResponseSchema,
  type GetShipmentRequest,
  type GetShipmentResponse,
  GetShipmentResponseSchema,
  type ListShipmentsRequest,
  type ListShipmentsResponse,
  ListShipmentsResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql, { type Sql } from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { addressIn, largeBytes, parcelIn, sharedColumns } from "./shared-fields.js";
import { type ShipmentRow, shipmentJson } from "./shipment.js";

/** Reads one shipment of the caller. */
export async function getShipment(deps: RecordsDeps, request: GetShipmentRequest): Promise<GetShipmentResponse> {
  const row = await findShipment(deps, { caller: requireCaller(request), id: request.id });
  return create(GetShipmentResponseSchema, { data: Buffer.from(shipmentJson(found(row))) });
}

/** Reads one page of the caller's shipments. */
export async function listShipments(deps: RecordsDeps, request: ListShipmentsRequest): Promise<ListShipmentsResponse> {
  return create(ListShipmentsResponseSchema, await readPage(deps, request));
}

/** Reads the fields of one of the caller's shipments that a carrier needs. */
export async function getShipmentForCarrier(
  deps: RecordsDeps,
  request: GetShipmentForCarrierRequest,
): Promise<GetShipmentForCarrierResponse> {
  const { id, status, reference, sender, recipient, parcel } = found(
    await findForCarrier(deps, { caller: requireCaller(request), id: request.id }),
  );
  const shipment = {
    id,
    status,
    reference,
    from: addressIn(sender),
    to: addressIn(recipient),
    parcel: parcelIn(parcel),
  };
  return create(GetShipmentForCarrierResponseSchema, { shipment });
}

function found<Row>(row: Row | undefined): Row {
  if (!row) throw fail("not_found", "No such shipment.");
  return row;
}

const select = (askedCondition: Sql) =>
  sql`SELECT ${sharedColumns}, order_id AS "orderId", label_id AS "labelId" FROM shipments WHERE ${askedCondition}`;
const findShipment = readOwned<ShipmentRow>("id", select);
const readPage = listOwned<ShipmentRow>({ select, render: shipmentJson, bytes: largeBytes });

const findForCarrier = readOwned<Pick<ShipmentRow, "id" | "status" | "reference" | "sender" | "recipient" | "parcel">>(
  "id",
  (askedCondition) => sql`
    SELECT id, status, reference, sender::text, recipient::text, parcel::text FROM shipments WHERE ${askedCondition}`,
);
