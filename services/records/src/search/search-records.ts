import { requireCaller } from "@shipping/kit/caller";
import { pickColumns, type Row, selectColumns } from "@shipping/kit/postgres/columns";
import { countByDay } from "@shipping/kit/postgres/owned/count-by-day";
import { ownedInIndex, ownedSql, type ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import { type Found, MAX_MATCHES, placeAfter, searchOwned } from "@shipping/kit/postgres/owned/search-owned";
import type {
  CountShipmentsByDayRequest,
  SearchOrdersRequest,
  SearchShipmentsRequest,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { orderColumns, orderJson } from "../resource/order.js";
import { rowColumns, type Shown } from "../resource/shared-fields.js";
import { shipmentColumns, shipmentJson } from "../resource/shipment.js";
import { findByText } from "./find-by-text.js";
import type { RecordTable } from "./search-rows.js";

type SearchRequest = SearchOrdersRequest | SearchShipmentsRequest;
type OrderRow = Shown<Row<typeof orderColumns>>;
type ShipmentRow = Shown<Row<typeof shipmentColumns>>;

const names = [sql`id`];
const orders = { names, table: "orders", statuses: ["received"] };
const shipments = { names, table: "shipments", statuses: ["draft", "label_created", "voided"] };
const listOrders = searchOwned({ ...orders, columns: rowColumns(orderColumns) });
const searchOrderRows = searchOwned({ ...orders, columns: orderColumns });
const shipmentRow = rowColumns(shipmentColumns);
const listShipments = searchOwned({ ...shipments, columns: shipmentRow });
const searchShipmentRows = searchOwned({ ...shipments, columns: shipmentColumns });
const readLabelIds = searchOwned({
  ...shipments,
  columns: pickColumns(shipmentColumns, ["id", "createdAt", "labelId"]),
});

const readOrders = (deps: ReadDeps, request: SearchOrdersRequest): Promise<Found<OrderRow>> =>
  (isRowsOnly(request) ? listOrders : searchOrderRows)(deps, request);
const readShipments = (deps: ReadDeps, request: SearchShipmentsRequest): Promise<Found<ShipmentRow>> =>
  (isRowsOnly(request) ? listShipments : searchShipmentRows)(deps, request, onlyTo(request));

/** The condition on the country of shipments, as the index has it. */
const onlyTo = ({ country }: SearchShipmentsRequest) =>
  country === undefined ? undefined : sql`recipient->>'country' = ${country}`;

function isRowsOnly({ search }: SearchRequest): boolean {
  return !search || search.rowsOnly || (search.text === undefined && search.ids.length === 0);
}

/** How many matches of a text are examined for a page of one state or country, which only the records themselves have. */
const MAX_EXAMINED = 400;

/** Creates the search for records by ID, or by any words of theirs. */
function byWords<Request extends SearchRequest, Page extends { nextCursor?: string; matches?: number }>(
  table: RecordTable,
  read: (deps: ReadDeps, request: Request) => Promise<Page>,
) {
  return async (deps: ReadDeps, request: Request) => {
    const { search } = request;
    const text = search?.text?.trim() ?? "";
    if (!search || text === "" || text.includes("\0")) return { ...(await read(deps, request)), incomplete: false };
    const caller = requireCaller(request);
    const place = await placeAfter(deps, { caller, table, ...search, oldestFirst: false });
    // Only the first page counts: a later one would examine again what earlier ones have.
    const counts = search.countsMatches && search.after === undefined;
    const isNarrowed = search.status !== undefined || ("country" in request && request.country !== undefined);
    const page = isNarrowed ? MAX_EXAMINED : search.limit + 1;
    const most = counts ? MAX_MATCHES.text + 1 : page;
    const { ids, all } = await findByText(deps, { ...place, caller, table, text, most });
    const wanted = { ...search, text, ids: [...search.ids, ...ids], countsMatches: counts, oldestFirst: false };
    const { matches = 0, ...found } = await read(deps, { ...request, search: wanted });
    const isCounted = counts && (all || matches >= most);
    // The search goes on after the last that was examined.
    const incomplete = !all && found.nextCursor === undefined;
    return {
      ...found,
      incomplete,
      ...(isCounted && { matches }),
      ...(incomplete && ids.length === most && { nextCursor: ids.at(-1)! }),
    };
  };
}

const findOrders = byWords("orders", readOrders);
const findShipments = byWords("shipments", readShipments);
const findLabelIds = byWords("shipments", (deps: ReadDeps, request: SearchShipmentsRequest) =>
  readLabelIds(deps, request, onlyTo(request)),
);

/** Finds the caller's orders. */
export async function searchOrders(deps: ReadDeps, request: SearchOrdersRequest) {
  const { rows, ...found } = await findOrders(deps, request);
  return { ...found, data: listJson(rows.map(orderJson)) };
}

/** Finds the caller's shipments. */
export async function searchShipments(deps: ReadDeps, request: SearchShipmentsRequest) {
  if (request.labelIdsOnly) {
    const { rows, ...found } = await findLabelIds(deps, request);
    const labelIds = rows.flatMap(({ labelId }) => labelId ?? []);
    return { ...found, data: listJson([]), labelIds };
  }
  const { rows, ...found } =
    request.orderId === undefined ? await findShipments(deps, request) : await findShipmentsOfOrder(deps, request);
  return { ...found, data: listJson(rows.map(shipmentJson)) };
}

async function findShipmentsOfOrder(
  deps: ReadDeps,
  request: SearchShipmentsRequest,
): Promise<Found<ShipmentRow> & { incomplete: boolean }> {
  const caller = requireCaller(request);
  const { limit = 1, after } = request.search ?? {};
  const { at, id } = await placeAfter(deps, { caller, table: "shipments", after });
  const read = await deps.db.runList<Row<typeof shipmentRow>>(sql`
    SELECT ${selectColumns(shipmentRow)} FROM shipments
    WHERE ${ownedSql(caller)} AND order_id = ${request.orderId} AND (created_at, id) < (${at}::timestamptz, ${id})
    ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}::bigint`);
  const rows = read.slice(0, limit);
  return { rows, incomplete: false, ...(read.length > limit && { nextCursor: rows.at(-1)!.id }) };
}

const listJson = (records: readonly string[]) => Buffer.from(`[${records.join(",")}]`);

const MAX_DRAFTS = 1_001;

/** Counts the caller's shipments of these days, and the drafts of any day. */
export async function countShipmentsByDay(deps: ReadDeps, request: CountShipmentsByDayRequest) {
  const caller = requireCaller(request);
  const days = await countByDay(deps, shipments, caller, request.days);
  const [drafts] = await deps.db.runList<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM (
      SELECT FROM shipments WHERE ${ownedInIndex(caller)} AND status = 'draft' LIMIT ${MAX_DRAFTS}::bigint) AS counted`);
  return {
    counts: days.map((states) => Object.values(states).reduce((sum, count) => sum + count, 0)),
    drafts: drafts!.count,
  };
}
