import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { originIn } from "@shipping/kit/ledger/origin";
import { pickColumns, selectFrom } from "@shipping/kit/postgres/columns";
import { listOwned } from "@shipping/kit/postgres/owned/list-owned";
import { type ReadDeps, readOwned } from "@shipping/kit/postgres/owned/read-owned";
import { noSuch } from "@shipping/proto/errors";
import type {
  GetOrderRequest,
  GetShipmentForCarrierRequest,
  GetShipmentRequest,
} from "@shipping/proto/shipping/records/v1/records_pb";
import { orderColumns, orderJson, storedOrderColumns } from "../resource/order.js";
import { addressIn, largeBytes, parcelIn } from "../resource/shared-fields.js";
import { shipmentColumns, shipmentJson, storedShipmentColumns } from "../resource/shipment.js";

export async function getOrder(deps: ReadDeps, request: GetOrderRequest) {
  const row = await findOrder(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", noSuch("order"));
  return { data: Buffer.from(orderJson(row)), created: originIn(row.origin) };
}

const findOrder = readOwned("id", selectFrom("orders", storedOrderColumns));

export const listOrders = listOwned({
  select: selectFrom("orders", orderColumns),
  render: orderJson,
  bytes: largeBytes,
});

export async function getShipment(deps: ReadDeps, request: GetShipmentRequest) {
  const row = requireShipment(await findShipment(deps, { caller: requireCaller(request), id: request.id }));
  return { data: Buffer.from(shipmentJson(row)), created: originIn(row.origin) };
}

/** Reads the fields of one of the caller's shipments that a carrier needs. */
export async function getShipmentForCarrier(deps: ReadDeps, request: GetShipmentForCarrierRequest) {
  const row = requireShipment(await findForCarrier(deps, { caller: requireCaller(request), id: request.id }));
  const { sender, recipient, parcel, ...others } = row;
  return { shipment: { ...others, from: addressIn(sender), to: addressIn(recipient), parcel: parcelIn(parcel) } };
}

function requireShipment<Found>(row: Found | undefined): Found {
  if (!row) throw fail("not_found", noSuch("shipment"));
  return row;
}

const findShipment = readOwned("id", selectFrom("shipments", storedShipmentColumns));

export const listShipments = listOwned({
  select: selectFrom("shipments", shipmentColumns),
  render: shipmentJson,
  bytes: largeBytes,
});

const carrierColumns = pickColumns(shipmentColumns, ["id", "status", "reference", "sender", "recipient", "parcel"]);
const findForCarrier = readOwned("id", selectFrom("shipments", carrierColumns));
