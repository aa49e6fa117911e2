import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
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
import sql, { type Sql } from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { orderJson } from "./order.js";
import { largeBytes, type SharedRow, sharedColumns } from "./shared-fields.js";

/** Reads one order of the caller. */
export async function getOrder(deps: RecordsDeps, request: GetOrderRequest): Promise<GetOrderResponse> {
  const row = await findOrder(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", "No such order.");
  return create(GetOrderResponseSchema, { data: Buffer.from(orderJson(row)) });
}

/** Reads one page of the caller's orders. */
export async function listOrders(deps: RecordsDeps, request: ListOrdersRequest): Promise<ListOrdersResponse> {
  return create(ListOrdersResponseSchema, await readPage(deps, request));
}

const select = (askedCondition: Sql) => sql`SELECT ${sharedColumns} FROM orders WHERE ${askedCondition}`;
const findOrder = readOwned<SharedRow>("id", select);
const readPage = listOwned<SharedRow>({ select, render: orderJson, bytes: largeBytes });
