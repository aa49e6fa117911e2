import type { Caller as CallerMessage } from "@shipping/proto/shipping/common/v1/common_pb";
import sql, { type Sql } from "sql-template-tag";
import { type Caller, requireCaller } from "../../caller.js";
import { type Columns, type Select, unnestRows } from "../columns.js";
import { microBatchOperation } from "../micro-batch.js";
import type { ReadDeps } from "./read-owned.js";

/** A request for a page of a caller's rows: up to `limit` of those whose IDs come after `after`. */
export interface ListRequest {
  caller?: CallerMessage | undefined;
  after?: string | undefined;
  limit: number;
}

interface ListOptions<Row> {
  /**
   * Returns the statement for one page, given its condition: `selectFrom("orders", columns)`. The rows have an `id`, and an index begins
   * with account, environment and id.
   */
  select: Select<Row>;
  /** Returns the public resource of a row, as JSON text. */
  render(row: Row): string;
  /**
   * The SQL for the size in bytes of a row's large columns, never more than the size of its resource. It is for rows that can be large:
   * those that do not fit into the page are then not read.
   */
  bytes?: Sql;
}

/** The most pages in one statement, which are few, because each has up to a hundred rows or 1 MiB. */
const PAGES = 8;

const askedColumns = {
  accountId: "text",
  environment: "text",
  after: "text",
  most: "bigint",
} as const satisfies Columns;

/**
 * Creates the list of a caller's resources, sorted by ID. Pages that are requested at the same time share a statement, on the connections
 * for lists.
 */
export function listOwned<Row extends { id: string }, Deps extends ReadDeps = ReadDeps>({
  select,
  render,
  bytes,
}: ListOptions<Row>): (deps: Deps, request: ListRequest) => Promise<Page> {
  const askedCondition = sql`account_id = given.account_id AND environment = given.environment AND id > given.after`;
  const rowsOfPage = sql`${select(askedCondition)} ORDER BY id LIMIT given.most`;
  // One row beyond the last that fits shows that there is a next page.
  const fitting = bytes
    ? sql`
      SELECT row.* FROM (
        SELECT page.*, sum(${bytes}) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS before
        FROM (${rowsOfPage}) AS page
      ) AS row
      WHERE row.before IS NULL OR row.before <= ${MAX_PAGE_BYTES}::bigint`
    : rowsOfPage;
  const read = microBatchOperation<Deps, { caller: Caller; after: string; limit: number }, Row[]>({
    max: PAGES,
    async run({ db }, asked) {
      const rows = asked.map(({ caller, after, limit }) => ({ ...caller, after, most: BigInt(limit + 1) }));
      const found = await db.runList<Row & { page: number }>(sql`
        SELECT given.ordinal::integer AS page, found.*
        FROM ${unnestRows(askedColumns, rows)}
        CROSS JOIN LATERAL (${fitting}) AS found
        ORDER BY page, found.id`);
      const pages = asked.map((): Row[] => []);
      for (const row of found) pages[row.page - 1]!.push(row);
      return pages;
    },
  });
  return async (deps, request) => {
    const { after = "", limit } = request;
    return renderPage(await read(deps, { caller: requireCaller(request), after, limit }), limit, render);
  };
}

/** One page of a list that ascends by id. */
export interface Page {
  /** The resources on the page: a JSON array, UTF-8. */
  data: Uint8Array;
  /** The last id of the page; absent on the last page. */
  nextCursor?: string;
}

const [OPENING, COMMA, CLOSING] = Buffer.from("[,]") as unknown as [number, number, number];

/** The most bytes on a page, unless a single resource is larger. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/**
 * Renders a page of `limit` resources from up to `limit + 1` rows: the extra row shows that there is a next page. The page ends early if
 * its resources would exceed 1 MiB.
 */
export function renderPage<Row extends { id: string }>(
  rows: readonly Row[],
  limit: number,
  render: (row: Row) => string,
): Page {
  const shown: string[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    const resource = render(row);
    const ofResource = Buffer.byteLength(resource);
    if (bytes + ofResource > MAX_PAGE_BYTES && shown.length > 0) break;
    bytes += ofResource;
    shown.push(resource);
  }
  const data = toJsonArray(shown, bytes);
  const last = rows[shown.length - 1];
  return rows.length > shown.length && last ? { data, nextCursor: last.id } : { data };
}

/**
 * Builds the JSON array of resources that have this many bytes together. Each is encoded in place: joining the page first would copy it
 * twice more.
 */
function toJsonArray(resources: readonly string[], bytes: number): Uint8Array {
  if (resources.length === 0) return Buffer.from("[]");
  const data = Buffer.allocUnsafe(bytes + resources.length + 1);
  let end = 0;
  for (const resource of resources) {
    data[end] = end === 0 ? OPENING : COMMA;
    end += 1 + data.write(resource, end + 1);
  }
  data[end] = CLOSING;
  return data;
}
