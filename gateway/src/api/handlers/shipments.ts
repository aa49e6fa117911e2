import type { CallOptions } from "@connectrpc/connect";
import type { PageQuery, ShipmentInput } from "@shipping/api/input/schemas";
import type { EndpointDeps } from "../deps.js";
import { page, type Read, rendered, type Write } from "../endpoint.js";
import { recordFields } from "./record-fields.js";

export function createShipment(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<ShipmentInput>,
  options: CallOptions,
) {
  const { order_id: orderId, ...fields } = input;
  const order = orderId === undefined ? {} : { orderId };
  return clients.records.createShipment({ caller, claim, ...recordFields(fields), ...order }, options);
}

export async function getShipment({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.records.getShipment({ caller, id }, options));
}

export async function listShipments(
  { clients }: EndpointDeps,
  { caller, query }: Read<PageQuery>,
  options: CallOptions,
) {
  return page(await clients.records.listShipments({ caller, ...query }, options));
}
