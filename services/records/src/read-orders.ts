import { create } from "@bufbuild/protobuf";
import { callerOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { listOwned } from "@shipping/kit/postgres/list-owned";
import { readOwned } from "@shipping/kit/postgres/read-owned";
import {
  type GetOrderRequest,
  type GetOrderResponse,
  GetOrderResponseSchema,
  type ListOrdersRequest,
  type ListOrdersResponse,
  ListOrdersResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { orderOf } from "./order.js";
import { type SharedRow, sharedColumns } from "./shared-fields.js";

/** Reads one order of the caller. */
export async function getOrder(deps: RecordsDeps, request: GetOrderRequest): Promise<GetOrderResponse> {
  const row = await findOrder(deps, { caller: callerOf(request), id: request.id });
  if (!row) throw fail("not_found", "No such order.");
  return create(GetOrderResponseSchema, { order: orderOf(row) });
}

const findOrder = readOwned<SharedRow>("id", (isAsked) => sql`SELECT ${sharedColumns} FROM orders WHERE ${isAsked}`);

/** Reads one page of the caller's orders. */
export async function listOrders(deps: RecordsDeps, request: ListOrdersRequest): Promise<ListOrdersResponse> {
  const { rows, nextCursor } = await findOrders(deps, request);
  return create(ListOrdersResponseSchema, {
    orders: rows.map(orderOf),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  });
}

const findOrders = listOwned<SharedRow>((isAsked) => sql`SELECT ${sharedColumns} FROM orders WHERE ${isAsked}`);
