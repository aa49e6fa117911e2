import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import type { PageAnswer, PageDeps, PageRequest } from "../page/page.js";
import { type ListedKind, readFilter, toWanted } from "./filter.js";
import {
  findLabels,
  findLabelsById,
  findOrders,
  findShipments,
  findShipmentsById,
  type Wanted,
} from "./find-resources.js";

/** How many rows a file has at most: the newest. */
export const MAX_ROWS = 10_000;

const CHUNK = 500;
// The download is aborted if reading a chunk, or sending the whole file, takes longer.
const CHUNK_MS = 5_000;
const ALL_MS = 60_000;

const HEADINGS = [
  ...["id", "reference", "status", "recipient", "company", "city", "postal_code", "country", "email", "phone"],
  ...["label_id", "tracking_number", "created_at"],
];

type CsvRow = readonly (string | undefined)[];
type ReadRows = (
  deps: PageDeps,
  request: PageRequest,
  wanted: Wanted,
) => Promise<{ rows: CsvRow[]; nextCursor?: string | undefined }>;

const READ: Record<ListedKind, ReadRows> = {
  async shipments(deps, request, wanted) {
    const { found, ...rest } = await findShipments(deps, request, wanted);
    const labels = await findLabelsById(
      deps,
      request,
      found.flatMap(({ labelId }) => labelId ?? []),
    );
    return { ...rest, rows: found.map((shipment) => toRow(shipment, labels.get(shipment.labelId ?? ""))) };
  },
  async orders(deps, request, wanted) {
    const { found, ...rest } = await findOrders(deps, request, wanted);
    return { ...rest, rows: found.map((order) => toRow(order)) };
  },
  async labels(deps, request, wanted) {
    const { found, ...rest } = await findLabels(deps, request, wanted);
    const shipments = await findShipmentsById(
      deps,
      request,
      found.map(({ shipmentId }) => shipmentId),
    );
    return {
      ...rest,
      rows: found.map((label) => toRow({ ...shipments.get(label.shipmentId), ...pick(label) }, label)),
    };
  },
};

const pick = ({ id, status, createdAt }: LabelSummary) => ({ id, status, createdAt });

function toRow(record: Partial<RecordSummary>, label?: LabelSummary): CsvRow {
  const { id, reference, status, to, createdAt } = record;
  return [
    ...[id, reference, status, to?.name, to?.company, to?.city, to?.postalCode, to?.country, to?.email, to?.phone],
    ...[label?.id, label?.trackingNumber, createdAt],
  ];
}

/** `GET …/shipments/csv` and its siblings: what a list shows under the same filter, without its pages, sent as it is read. */
export function exportCsv(kind: ListedKind): (deps: PageDeps, request: PageRequest) => Promise<PageAnswer> {
  return async (deps, request) => {
    const filter = readFilter(request.query, { kind });
    const day = deps.now().toISOString().slice(0, 10);
    return {
      type: "text/csv; charset=utf-8",
      name: `${request.environment}-${kind}-${day}.csv`,
      chunks: () => csvChunks(deps, request, { ...toWanted(filter), after: undefined, rowsOnly: true }, READ[kind]),
    };
  };
}

async function* csvChunks(
  deps: PageDeps,
  request: PageRequest,
  wanted: Wanted,
  read: ReadRows,
): AsyncGenerator<string> {
  const lastAt = performance.now() + ALL_MS;
  // Spreadsheets take the mark at the beginning as the sign of UTF-8.
  let text = `\ufeff${toLine(HEADINGS)}`;
  let after: string | undefined;
  for (let rows = 0; rows < MAX_ROWS; ) {
    const deadline = performance.now() + CHUNK_MS;
    if (deadline > lastAt) throw new Error("The export was read too slowly.");
    const page = await read(
      deps,
      { ...request, deadline },
      { ...wanted, after, limit: Math.min(CHUNK, MAX_ROWS - rows) },
    );
    yield text + page.rows.map(toLine).join("");
    text = "";
    rows += page.rows.length;
    after = page.nextCursor;
    if (after === undefined) return;
  }
}

const toLine = (cells: CsvRow) => `${cells.map(toCell).join(",")}\r\n`;

/** A cell of RFC 4180. What a spreadsheet would take for a formula is preceded by an apostrophe. */
export function toCell(value = ""): string {
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
