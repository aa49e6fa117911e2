import type { Caller } from "@shipping/kit/caller";
import type { Columns, Row } from "@shipping/kit/postgres/columns";
import type { CreateOrderRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import { newSharedRow, publicJson, type Shown, sharedColumns } from "./shared-fields.js";

/** The columns of an order that the public resource shows. */
export const orderColumns = sharedColumns;

export const storedOrderColumns = { ...orderColumns, origin: "text?" } as const satisfies Columns;

export type OrderRow = Row<typeof orderColumns>;

/** A new order, in its first and only state. */
export function newOrder(request: CreateOrderRequest, caller: Caller, id: string, now: Date): OrderRow {
  return { id, status: "received", ...newSharedRow(request, caller, now) };
}

export const orderJson = (row: Shown<OrderRow>) => publicJson("order", row, {});
