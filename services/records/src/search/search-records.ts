import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { type Columns, pickColumns, type Row, selectColumns } from "@shipping/kit/postgres/columns";
import { ownedSql, type ReadDeps } from "@shipping/kit/postgres/read-owned";
import { placeAfter, searchOwned } from "@shipping/kit/postgres/search-owned";
import type { Search } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  type RecordSummary,
  RecordSummarySchema,
  type SearchOrdersRequest,
  type SearchOrdersResponse,
  SearchOrdersResponseSchema,
  type SearchShipmentsRequest,
  type SearchShipmentsResponse,
  SearchShipmentsResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { orderColumns } from "../resource/order.js";
import { addressIn } from "../resource/shared-fields.js";
import { shipmentColumns } from "../resource/shipment.js";
import { findByText } from "./find-by-text.js";
import type { RecordTable } from "./recent.js";

const orderSummary = pickColumns(orderColumns, [
  "id",
  "status",
  "reference",
  "recipient",
  "sender",
  "metadata",
  "createdAt",
]);
const shipmentSummary = {
  ...orderSummary,
  ...pickColumns(shipmentColumns, ["orderId", "labelId"]),
} as const satisfies Columns;

const byId = { names: [sql`id`] };
const readOrders = searchOwned({ ...byId, table: "orders", columns: orderSummary, statuses: ["received"] });
const shipments = { ...byId, table: "shipments", statuses: ["draft", "label_created", "voided"] };
const readShipments = searchOwned({ ...shipments, columns: shipmentSummary });
const readLabelIds = searchOwned({
  ...shipments,
  columns: pickColumns(shipmentColumns, ["id", "createdAt", "labelId"]),
});

/** How many matches of a text are examined for a page of one state, which only the records themselves have. */
const MAX_EXAMINED = 400;

/** Creates the search for records by ID, or by any words of theirs. */
function byWords<Found extends { nextCursor?: string }>(
  table: RecordTable,
  read: (deps: ReadDeps, request: SearchOrdersRequest | SearchShipmentsRequest) => Promise<Found>,
) {
  return async (deps: ReadDeps, request: SearchOrdersRequest | SearchShipmentsRequest) => {
    const { search } = request;
    const text = search?.text?.trim() ?? "";
    if (!search || text === "" || text.includes("\0")) return { ...(await read(deps, request)), incomplete: false };
    const caller = requireCaller(request);
    const place = await placeAfter(deps, { caller, table, ...search });
    const most = search.status === undefined ? search.limit + 1 : MAX_EXAMINED;
    const { ids, all } = await findByText(deps, { ...place, caller, table, text, most });
    const found = await read(deps, { ...request, search: { ...search, text, ids: [...search.ids, ...ids] } });
    // The search goes on after the last that was examined.
    const incomplete = !all && found.nextCursor === undefined;
    return { ...found, incomplete, ...(incomplete && ids.length === most && { nextCursor: ids.at(-1)! }) };
  };
}

const findOrders = byWords("orders", readOrders);
const findShipments = byWords("shipments", readShipments);
const findLabelIds = byWords("shipments", readLabelIds);

/** Finds the caller's orders, newest first. */
export async function searchOrders(deps: ReadDeps, request: SearchOrdersRequest): Promise<SearchOrdersResponse> {
  const { rows, ...found } = await findOrders(deps, request);
  return create(SearchOrdersResponseSchema, { ...found, orders: rows.map((row) => toSummary(row, request)) });
}

/** Finds the caller's shipments, newest first. */
export async function searchShipments(
  deps: ReadDeps,
  request: SearchShipmentsRequest,
): Promise<SearchShipmentsResponse> {
  if (request.labelIdsOnly) {
    const { rows, ...found } = await findLabelIds(deps, request);
    const labelIds = rows.flatMap(({ labelId }) => labelId ?? []);
    return create(SearchShipmentsResponseSchema, { ...found, labelIds });
  }
  const { rows, ...found } =
    request.orderId === undefined ? await findShipments(deps, request) : await findShipmentsOfOrder(deps, request);
  return create(SearchShipmentsResponseSchema, { ...found, shipments: rows.map((row) => toSummary(row, request)) });
}

async function findShipmentsOfOrder(deps: ReadDeps, request: SearchShipmentsRequest) {
  const caller = requireCaller(request);
  const { limit = 1, after } = request.search ?? {};
  const { at, id } = await placeAfter(deps, { caller, table: "shipments", after });
  const read = await deps.db.runList<Row<typeof shipmentSummary>>(sql`
    SELECT ${selectColumns(shipmentSummary)} FROM shipments
    WHERE ${ownedSql(caller)} AND order_id = ${request.orderId} AND (created_at, id) < (${at}::timestamptz, ${id})
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}::bigint`);
  const rows = read.slice(0, limit);
  return { rows, incomplete: false, ...(read.length > limit && { nextCursor: rows.at(-1)!.id }) };
}

type SummaryRow = Row<typeof orderSummary> & Partial<Row<typeof shipmentSummary>>;

/** A row of a list. A search also returns what else it may have found the record by. */
function toSummary(row: SummaryRow, { search }: { search?: Search | undefined }): RecordSummary {
  const { recipient, sender, metadata, createdAt, orderId, labelId, ...others } = row;
  const isSearch = search?.text !== undefined || (search?.ids.length ?? 0) > 0;
  return create(RecordSummarySchema, {
    ...others,
    to: addressIn(recipient),
    createdAt: createdAt.toISOString(),
    ...(orderId && { orderId }),
    ...(labelId && { labelId }),
    ...(isSearch && { from: addressIn(sender), ...(metadata && { metadata }) }),
  });
}
