import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { placeAfter } from "@shipping/kit/postgres/newest-first";
import { ownedSql } from "@shipping/kit/postgres/owned";
import { searchOwned } from "@shipping/kit/postgres/search-owned";
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
import type { RecordsDeps } from "./deps.js";
import { beginningsOf, searchTerms } from "./search-terms.js";
import { addressIn } from "./shared-fields.js";

interface Row {
  id: string;
  status: string;
  reference: string;
  recipient: string;
  createdAt: Date;
  orderId?: string | null;
  labelId?: string | null;
}

const columns = sql`id, status, reference, recipient::text, created_at AS "createdAt"`;
const shipmentColumns = sql`${columns}, order_id AS "orderId", label_id AS "labelId"`;
const byText = { names: [sql`id`], terms: searchTerms, beginnings: beginningsOf };

const findOrders = searchOwned<Row>({ ...byText, table: "orders", columns, statuses: ["received"] });
const findShipments = searchOwned<Row>({
  ...byText,
  table: "shipments",
  columns: shipmentColumns,
  statuses: ["draft", "label_created", "voided"],
});

/** Finds the caller's orders, newest first. */
export async function searchOrders(deps: RecordsDeps, request: SearchOrdersRequest): Promise<SearchOrdersResponse> {
  const { rows, ...found } = await findOrders(deps, request);
  return create(SearchOrdersResponseSchema, { ...found, orders: rows.map(summaryOf) });
}

/** Finds the caller's shipments, newest first. */
export async function searchShipments(
  deps: RecordsDeps,
  request: SearchShipmentsRequest,
): Promise<SearchShipmentsResponse> {
  const { rows, ...found } =
    request.orderId === undefined ? await findShipments(deps, request) : await ofOrder(deps, request);
  return create(SearchShipmentsResponseSchema, { ...found, shipments: rows.map(summaryOf) });
}

/** A page of an order's shipments. */
async function ofOrder(deps: RecordsDeps, request: SearchShipmentsRequest) {
  const caller = requireCaller(request);
  const { limit = 1, after } = request.search ?? {};
  const { at, id } = await placeAfter(deps, { caller, table: "shipments", after });
  const read = await deps.db.runList<Row>(sql`
    SELECT ${shipmentColumns} FROM shipments
    WHERE ${ownedSql(caller)} AND order_id = ${request.orderId} AND (created_at, id) < (${at}::timestamptz, ${id})
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}::bigint`);
  const rows = read.slice(0, limit);
  return { rows, incomplete: false, ...(read.length > limit && { nextCursor: rows.at(-1)!.id }) };
}

function summaryOf({ id, status, reference, recipient, createdAt, orderId, labelId }: Row): RecordSummary {
  return create(RecordSummarySchema, {
    id,
    status,
    reference,
    to: addressIn(recipient),
    createdAt: createdAt.toISOString(),
    ...(orderId && { orderId }),
    ...(labelId && { labelId }),
  });
}
