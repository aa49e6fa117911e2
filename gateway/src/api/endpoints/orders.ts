import type { CallOptions } from "@connectrpc/connect";
import { OrderSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import type { OrderInput, PageQuery } from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import type { Read, Write } from "../endpoint.js";
import { one, page } from "../respond.js";
import { recordFields } from "./record-fields.js";

export function createOrder(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<OrderInput>,
  options: CallOptions,
) {
  return clients.records.createOrder({ caller, claim, ...recordFields(input) }, options);
}

export async function getOrder({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  const { order } = await clients.records.getOrder({ caller, id }, options);
  return one(OrderSchema, order);
}

export async function listOrders({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  const { orders, nextCursor } = await clients.records.listOrders({ caller, ...query }, options);
  return page(OrderSchema, orders, nextCursor);
}
