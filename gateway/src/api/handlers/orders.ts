import type { CallOptions } from "@connectrpc/connect";
import type { OrderInput, PageQuery } from "@shipping/api/input/schemas";
import type { EndpointDeps } from "../deps.js";
import { page, type Read, rendered, type Write } from "../endpoint.js";
import { recordFields } from "./record-fields.js";

export function createOrder(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<OrderInput>,
  options: CallOptions,
) {
  return clients.records.createOrder({ caller, claim, ...recordFields(input) }, options);
}

export async function getOrder({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.records.getOrder({ caller, id }, options));
}

export async function listOrders({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  return page(await clients.records.listOrders({ caller, ...query }, options));
}
