import type { CallOptions } from "@connectrpc/connect";
import type { OrderInput, PageQuery } from "../../input/schemas.js";
import * as schemas from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import { ANSWERED_ID, page, type Read, type Route, read, rendered, type Write, write } from "../endpoint.js";
import * as examples from "../examples.js";
import { order } from "../resources.js";
import { recordFields } from "./record-fields.js";

export const orderRoutes: readonly Route[] = [
  write({
    method: "POST",
    path: "/orders",
    scope: "orders:write",
    status: 201,
    owner: "records",
    summary: "Create an order",
    purpose: "Creates an order. Orders are optional: you can create a shipment without one.",
    guide: "idempotency",
    body: schemas.orderInput,
    answers: order,
    handler: createOrder,
    example: { body: examples.orderInput, data: examples.order, invalid: examples.badCountry },
    leadsTo: [{ to: getOrder, parameters: { id: ANSWERED_ID } }],
  }),
  read({
    path: "/orders",
    scope: "orders:read",
    owner: "records",
    summary: "List orders",
    purpose: "Returns a page of orders, sorted by ID.",
    guide: "pagination",
    query: schemas.pageQuery(schemas.orderId),
    answers: order,
    handler: listOrders,
    example: { data: [examples.order], invalid: examples.badLimit },
  }),
  read({
    path: "/orders/{id}",
    scope: "orders:read",
    owner: "records",
    summary: "Retrieve an order",
    purpose: "Returns an order.",
    guide: "errors",
    id: schemas.orderId,
    answers: order,
    handler: getOrder,
    example: {
      id: examples.order.id,
      data: examples.order,
      invalid: examples.unknownMember,
      missing: examples.noOrder,
    },
  }),
];

function createOrder({ clients }: EndpointDeps, { caller, claim, input }: Write<OrderInput>, options: CallOptions) {
  return clients.records.createOrder({ caller, claim, ...recordFields(input) }, options);
}

async function getOrder({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.records.getOrder({ caller, id }, options));
}

async function listOrders({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  return page(await clients.records.listOrders({ caller, ...query }, options));
}
