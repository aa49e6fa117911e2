import type { CallOptions } from "@connectrpc/connect";
import { ShipmentSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import type { PageQuery, ShipmentInput } from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import type { Read, Write } from "../endpoint.js";
import { one, page } from "../respond.js";
import { recordFields } from "./record-fields.js";

export function createShipment(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<ShipmentInput>,
  options: CallOptions,
) {
  const order = input.order_id === undefined ? {} : { orderId: input.order_id };
  return clients.records.createShipment({ caller, claim, ...recordFields(input), ...order }, options);
}

export async function getShipment({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  const { shipment } = await clients.records.getShipment({ caller, id }, options);
  return one(ShipmentSchema, shipment);
}

export async function listShipments(
  { clients }: EndpointDeps,
  { caller, query }: Read<PageQuery>,
  options: CallOptions,
) {
  const { shipments, nextCursor } = await clients.records.listShipments({ caller, ...query }, options);
  return page(ShipmentSchema, shipments, nextCursor);
}
