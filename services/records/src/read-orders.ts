import { create } from "@bufbuild/protobuf";
import { callerOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { owned, ownedSql } from "@shipping/kit/owned";
import { page } from "@shipping/kit/page";
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
  const caller = callerOf(request);
  const [row] = await deps.db.run<SharedRow>(
    sql`SELECT ${sharedColumns} FROM orders WHERE ${ownedSql(caller)} AND id = ${request.id}`,
  );
  if (!row) throw fail("not_found", "No such order.");
  return create(GetOrderResponseSchema, { order: orderOf(row) });
}

/** Reads one page of the caller's orders. */
export async function listOrders(deps: RecordsDeps, request: ListOrdersRequest): Promise<ListOrdersResponse> {
  const rows = await deps.prisma.order.findMany({
    where: { ...owned(callerOf(request)), id: { gt: request.after ?? "" } },
    orderBy: { id: "asc" },
    take: request.limit + 1,
  });
  const { rows: shown, nextCursor } = page(rows, request.limit);
  return create(ListOrdersResponseSchema, {
    orders: shown.map((row) => orderOf(row as SharedRow)),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  });
}
