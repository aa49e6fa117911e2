import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { originIn } from "@shipping/kit/ledger/origin";
import { pickColumns, selectFrom } from "@shipping/kit/postgres/columns";
import { listOwned } from "@shipping/kit/postgres/list-owned";
import { type ReadDeps, readOwned } from "@shipping/kit/postgres/read-owned";
import { noSuch } from "@shipping/proto/errors";
import {
  type GetOrderRequest,
  type GetOrderResponse,
  GetOrderResponseSchema,
  type GetShipmentForCarrierRequest,
  type GetShipmentForCarrierResponse,
  GetShipmentForCarrierResponseSchema,
  type GetShipmentRequest,
  type GetShipmentResponse,
  GetShipmentResponseSchema,
  type ListOrdersRequest,
  type ListOrdersResponse,
  ListOrdersResponseSchema,
  type ListShipmentsRequest,
  type ListShipmentsResponse,
  ListShipmentsResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import { orderColumns, orderJson, storedOrderColumns } from "../resource/order.js";
import { addressIn, largeBytes, parcelIn } from "../resource/shared-fields.js";
import { shipmentColumns, shipmentJson, storedShipmentColumns } from "../resource/shipment.js";

export async function getOrder(deps: ReadDeps, request: GetOrderRequest): Promise<GetOrderResponse> {
  const row = await findOrder(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", noSuch("order"));
  return create(GetOrderResponseSchema, { data: Buffer.from(orderJson(row)), created: originIn(row.origin) });
}

export async function listOrders(deps: ReadDeps, request: ListOrdersRequest): Promise<ListOrdersResponse> {
  return create(ListOrdersResponseSchema, await readOrders(deps, request));
}

const findOrder = readOwned("id", selectFrom("orders", storedOrderColumns));

const readOrders = listOwned({
  select: selectFrom("orders", orderColumns),
  render: orderJson,
  bytes: largeBytes,
});

export async function getShipment(deps: ReadDeps, request: GetShipmentRequest): Promise<GetShipmentResponse> {
  const row = requireShipment(await findShipment(deps, { caller: requireCaller(request), id: request.id }));
  return create(GetShipmentResponseSchema, { data: Buffer.from(shipmentJson(row)), created: originIn(row.origin) });
}

export async function listShipments(deps: ReadDeps, request: ListShipmentsRequest): Promise<ListShipmentsResponse> {
  return create(ListShipmentsResponseSchema, await readShipments(deps, request));
}

/** Reads the fields of one of the caller's shipments that a carrier needs. */
export async function getShipmentForCarrier(
  deps: ReadDeps,
  request: GetShipmentForCarrierRequest,
): Promise<GetShipmentForCarrierResponse> {
  const row = requireShipment(await findForCarrier(deps, { caller: requireCaller(request), id: request.id }));
  const { sender, recipient, parcel, ...others } = row;
  const shipment = { ...others, from: addressIn(sender), to: addressIn(recipient), parcel: parcelIn(parcel) };
  return create(GetShipmentForCarrierResponseSchema, { shipment });
}

function requireShipment<Found>(row: Found | undefined): Found {
  if (!row) throw fail("not_found", noSuch("shipment"));
  return row;
}

const findShipment = readOwned("id", selectFrom("shipments", storedShipmentColumns));

const readShipments = listOwned({
  select: selectFrom("shipments", shipmentColumns),
  render: shipmentJson,
  bytes: largeBytes,
});

const carrierColumns = pickColumns(shipmentColumns, ["id", "status", "reference", "sender", "recipient", "parcel"]);
const findForCarrier = readOwned("id", selectFrom("shipments", carrierColumns));
