import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { type CreateOrderRequest, type Order, OrderSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { givenFields, type SharedRow, storedFields } from "./shared-fields.js";

/** A new order, in its first and only state. */
export function newOrder(request: CreateOrderRequest, caller: Caller, id: string, now: Date): Order {
  return create(OrderSchema, {
    ...givenFields(request),
    id,
    object: "order",
    status: "received",
    livemode: caller.environment === "live",
    createdAt: now.toISOString(),
  });
}

/** An order as it is stored. */
export function orderOf(row: SharedRow): Order {
  return create(OrderSchema, { ...storedFields(row), object: "order" });
}
