import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { logExport } from "../audit/audit.js";
import { type Download, type PageDeps, type PageRequest, toCaller } from "../page/page.js";
import { toCell } from "./csv-cell.js";
import { type ListedKind, readFilter, toParameters, toWanted } from "./filter.js";
import {
  findLabelsById,
  findOrders,
  findShipmentsById,
  type ListedRecord,
  type Place,
  startLabelSearch,
  startShipmentSearch,
  type Wanted,
} from "./find-resources.js";
import { FURTHER, furtherText } from "./further-fields.js";

/** Maximum number of rows of a file: the newest ones. */
export const MAX_ROWS = 10_000;

const CHUNK = 500;
// Timeout for reading a chunk. The download then ends early.
const CHUNK_MS = 5_000;

const HEADINGS = [
  ...["id", "reference", "status", "recipient", "company", "city", "postal_code", "country", "email", "phone"],
  ...["label_id", "tracking_number", "created_at", ...FURTHER],
];

type CsvRow = readonly (string | undefined)[];
/** Reads rows of a search, after a place in it. */
type ReadRows = (request: PageRequest, place: Place) => Promise<{ rows: CsvRow[]; nextCursor?: string | undefined }>;

const START: Record<ListedKind, (deps: PageDeps, request: PageRequest, wanted: Wanted) => Promise<ReadRows>> = {
  async shipments(deps, request, wanted) {
    const read = await startShipmentSearch(deps, request, wanted);
    return async (part, place) => {
      const { found, ...rest } = await read(part, place);
      const labelIds = found.flatMap(({ label_id: labelId }) => labelId ?? []);
      const labels = await findLabelsById(deps, part, labelIds);
      return { ...rest, rows: found.map((shipment) => toRow(shipment, labels.get(shipment.label_id ?? ""))) };
    };
  },
  async orders(deps, _request, wanted) {
    return async (part, place) => {
      const { found, ...rest } = await findOrders(deps, part, { ...wanted, ...place });
      return { ...rest, rows: found.map((order) => toRow(order)) };
    };
  },
  async labels(deps, request, wanted) {
    const read = await startLabelSearch(deps, request, wanted);
    return async (part, place) => {
      const { found, ...rest } = await read(part, place);
      const shipmentIds = found.map(({ shipmentId }) => shipmentId);
      const shipments = await findShipmentsById(deps, part, shipmentIds);
      const toLabelRow = (label: LabelSummary) => toRow({ ...shipments.get(label.shipmentId), ...pick(label) }, label);
      return { ...rest, rows: found.map(toLabelRow) };
    };
  },
};

const pick = ({ id, status, createdAt }: LabelSummary) => ({ id, status, created_at: createdAt });

function toRow(record: Partial<ListedRecord>, label?: LabelSummary): CsvRow {
  const { id, reference, status, to, created_at: createdAt } = record;
  return [
    ...[id, reference, status, to?.name, to?.company, to?.city, to?.postal_code, to?.country, to?.email, to?.phone],
    ...[label?.id, label?.trackingNumber, createdAt, ...FURTHER.map((name) => furtherText(record, name))],
  ];
}

/** `GET …/shipments/csv` and its siblings: all pages of a filtered list, sent while they are read. */
export function exportCsv(kind: ListedKind): (deps: PageDeps, request: PageRequest) => Promise<Download> {
  return async (deps, request) => {
    const filter = readFilter(request.query, { kind, now: deps.now() });
    const asked = toParameters(filter).map((parameter) => parameter.join("="));
    const what = asked.length > 0 ? `${kind} as CSV: ${asked.join(", ")}` : `${kind} as CSV`;
    await logExport(deps, { ...toCaller(request), actor: request.actor, what });
    const day = deps.now().toISOString().slice(0, 10);
    const wanted = { ...toWanted(filter), after: undefined, rowsOnly: true };
    const rest = csvChunks(request, await START[kind](deps, request, wanted));
    const { value: first = Buffer.alloc(0) } = await rest.next();
    return { type: "text/csv; charset=utf-8", name: `${request.environment}-${kind}-${day}.csv`, first, rest };
  };
}

async function* csvChunks(request: PageRequest, read: ReadRows): AsyncGenerator<Buffer, undefined> {
  // Spreadsheets recognise UTF-8 by the byte order mark at the beginning.
  let heading = `\ufeff${toLine(HEADINGS)}`;
  let after: string | undefined;
  for (let rows = 0; rows < MAX_ROWS; ) {
    const chunk = await readChunk(request, read, { after, limit: Math.min(CHUNK, MAX_ROWS - rows) }, heading);
    yield chunk.bytes;
    heading = "";
    rows += chunk.rows;
    after = chunk.after;
    if (after === undefined) return;
  }
}

// A function of its own, so that only the bytes stay in memory while the client reads. Each line becomes bytes by itself: V8 keeps a string as long
// as the chunk until it next collects the whole heap, which a burst of downloads would fill.
async function readChunk(request: PageRequest, read: ReadRows, place: Place, heading: string) {
  const { rows, nextCursor } = await read({ ...request, deadline: performance.now() + CHUNK_MS }, place);
  const lines = [heading, ...rows.map(toLine)];
  return { bytes: Buffer.concat(lines.map((line) => Buffer.from(line))), rows: rows.length, after: nextCursor };
}

const toLine = (cells: CsvRow) => `${cells.map((text = "") => toCell(text)).join(",")}\r\n`;
