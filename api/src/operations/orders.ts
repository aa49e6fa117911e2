import * as examples from "../examples.js";
import * as schemas from "../input/schemas.js";
import { order } from "../resources.js";
import { ANSWERED_ID, type Operation, read, write } from "./operation.js";

export const orderOperations: readonly Operation[] = [
  write({
    operationId: "createOrder",
    method: "POST",
    path: "/orders",
    scope: "orders:write",
    status: 201,
    summary: "Create an order",
    purpose: "Creates an order. Orders are optional: you can create a shipment without one.",
    guide: "idempotency",
    body: schemas.orderInput,
    answers: order,
    example: { body: examples.orderInput, data: examples.order, invalid: examples.badCountry },
    leadsTo: [{ to: "getOrder", parameters: { id: ANSWERED_ID } }],
  }),
  read({
    operationId: "listOrders",
    path: "/orders",
    scope: "orders:read",
    summary: "List orders",
    purpose: "Returns a page of orders, sorted by ID.",
    guide: "pagination",
    query: schemas.pageQuery(schemas.orderId),
    answers: order,
    example: { data: [examples.order], invalid: examples.badLimit },
  }),
  read({
    operationId: "getOrder",
    path: "/orders/{id}",
    scope: "orders:read",
    summary: "Retrieve an order",
    purpose: "Returns an order.",
    guide: "errors",
    id: schemas.orderId,
    answers: order,
    example: {
      id: examples.order.id,
      data: examples.order,
      invalid: examples.unknownParameter,
      missing: examples.noOrder,
    },
  }),
];
