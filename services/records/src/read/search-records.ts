import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { type Columns, pickColumns, type Row, selectColumns } from "@shipping/kit/postgres/columns";
import { ownedSql, type ReadDeps } from "@shipping/kit/postgres/read-owned";
import { placeAfter, searchOwned } from "@shipping/kit/postgres/search-owned";
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

const orderSummary = pickColumns(orderColumns, ["id", "status", "reference", "recipient", "createdAt"]);
const shipmentSummary = {
  ...orderSummary,
  ...pickColumns(shipmentColumns, ["orderId", "labelId"]),
} as const satisfies Columns;

/** The texts by which orders and shipments are found, as their indexes have them. Searches look for their beginnings. */
const searchTerms = [
  sql`lower(reference COLLATE "C")`,
  sql`lower((recipient ->> 'name') COLLATE "C")`,
  sql`lower(replace(recipient ->> 'postal_code', ' ', '') COLLATE "C")`,
] as const;

const byText = { names: [sql`id`], terms: searchTerms, beginnings: toPrefixes };

const findOrders = searchOwned({ ...byText, table: "orders", columns: orderSummary, statuses: ["received"] });
const findShipments = searchOwned({
  ...byText,
  table: "shipments",
  columns: shipmentSummary,
  statuses: ["draft", "label_created", "voided"],
});

/** Finds the caller's orders, newest first. */
export async function searchOrders(deps: ReadDeps, request: SearchOrdersRequest): Promise<SearchOrdersResponse> {
  const { rows, ...found } = await findOrders(deps, request);
  return create(SearchOrdersResponseSchema, { ...found, orders: rows.map(toSummary) });
}

/** Finds the caller's shipments, newest first. */
export async function searchShipments(
  deps: ReadDeps,
  request: SearchShipmentsRequest,
): Promise<SearchShipmentsResponse> {
  const { rows, ...found } =
    request.orderId === undefined ? await findShipments(deps, request) : await findShipmentsOfOrder(deps, request);
  return create(SearchShipmentsResponseSchema, { ...found, shipments: rows.map(toSummary) });
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

function toSummary({ recipient, createdAt, orderId, labelId, ...others }: SummaryRow): RecordSummary {
  return create(RecordSummarySchema, {
    ...others,
    to: addressIn(recipient),
    createdAt: createdAt.toISOString(),
    ...(orderId && { orderId }),
    ...(labelId && { labelId }),
  });
}

/** The prefixes to look for in each term. */
function toPrefixes(text: string): string[][] {
  const spellings = toSpellings(text);
  const unspaced = text.replaceAll(" ", "");
  return [spellings, spellings, unspaced === "" ? [] : toSpellings(unspaced)];
}

const OTHERS = /[^\0-\x7f]/gu;

/**
 * The usual ways to capitalize a text: all lower case, first letters upper case, all upper case. The indexes ignore the case of A to Z
 * only, because servers differ in other letters. So one spelling is enough for most texts.
 */
function toSpellings(text: string): string[] {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const large = folded.replace(OTHERS, (letter) => oneOf(letter.toUpperCase(), letter));
  const small = folded.replace(OTHERS, (letter) => oneOf(letter.toLowerCase(), letter));
  const titled = small.replace(/(?<=^|[\s\-'’.(])[^\0-\x7f]/gu, (letter) => oneOf(letter.toUpperCase(), letter));
  return [...new Set([folded, small, titled, large])];
}

// `ß` has no upper-case letter of its own, and `İ` no lower-case one.
function oneOf(changed: string, letter: string): string {
  return [...changed].length === 1 ? changed : letter;
}
