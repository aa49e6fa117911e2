import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { logExport } from "../audit/audit.js";
import { type Download, type PageDeps, type PageRequest, toCaller } from "../page/page.js";
import { type ListedKind, listQuery, readFilter, toParameters, toWanted } from "../resources/filter.js";
import {
  findLabelsById,
  findOrders,
  findShipmentsById,
  type ListedRecord,
  type Place,
  startLabelSearch,
  startShipmentSearch,
  type Wanted,
} from "../resources/find-resources.js";
import { FURTHER, furtherText } from "../resources/further-fields.js";
import { type FileRow, FORMATS, type FormatName, type RowFile } from "./row-file.js";

/** Maximum number of rows of a file: the newest ones. */
export const MAX_ROWS = 10_000;

const CHUNK = 500;
// Timeout for reading a chunk. The download then ends early.
const CHUNK_MS = 5_000;

const HEADINGS = [
  ...["id", "reference", "status", "recipient", "company", "city", "postal_code", "country", "email", "phone"],
  ...["label_id", "tracking_number", "created_at", ...FURTHER],
];

/** Reads rows of a search, after a place in it. */
type ReadRows = (request: PageRequest, place: Place) => Promise<{ rows: FileRow[]; nextCursor?: string | undefined }>;

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

function toRow(record: Partial<ListedRecord>, label?: LabelSummary): FileRow {
  const { id, reference, status, to, created_at: createdAt } = record;
  return [
    ...[id, reference, status, to?.name, to?.company, to?.city, to?.postal_code, to?.country, to?.email, to?.phone],
    ...[label?.id, label?.trackingNumber, createdAt, ...FURTHER.map((name) => furtherText(record, name))],
  ];
}

/** The query of a file: that of its list. With `framed`, the file is in frames, by which the script shows the number of rows. */
export const exportQuery = { ...listQuery, framed: { maxLength: 1 } };

/** `GET …/shipments/csv`, `…/shipments/xlsx` and their siblings: all pages of a filtered list, sent while they are read. */
export function exportList(
  kind: ListedKind,
  format: FormatName,
): (deps: PageDeps, request: PageRequest) => Promise<Download> {
  const { name, type, create } = FORMATS[format];
  return async (deps, request) => {
    const filter = readFilter(request.query, { kind, now: deps.now() });
    const asked = toParameters(filter).map((parameter) => parameter.join("="));
    const what = asked.length > 0 ? `${kind} as ${name}: ${asked.join(", ")}` : `${kind} as ${name}`;
    await logExport(deps, { ...toCaller(request), actor: request.actor, what });
    const day = deps.now().toISOString().slice(0, 10);
    const wanted = { ...toWanted(filter), after: undefined, rowsOnly: true };
    const rest = chunksOf(request, create(), await START[kind](deps, request, wanted));
    const { value: first = Buffer.alloc(0) } = await rest.next();
    return { type, name: `${request.environment}-${kind}-${day}.${format}`, first, rest };
  };
}

async function* chunksOf(request: PageRequest, file: RowFile, read: ReadRows): AsyncGenerator<Buffer, undefined> {
  const isFramed = request.query.has("framed");
  let before = file.begin(HEADINGS);
  let after: string | undefined;
  for (let rows = 0; ; ) {
    const chunk = await readChunk(request, read, { after, limit: Math.min(CHUNK, MAX_ROWS - rows) }, file);
    rows += chunk.rows;
    after = chunk.after;
    const isLast = after === undefined || rows >= MAX_ROWS;
    const bytes = Buffer.concat(isLast ? [before, chunk.bytes, file.end()] : [before, chunk.bytes]);
    yield isFramed ? toFrame(rows, bytes) : bytes;
    if (isLast) return;
    before = Buffer.alloc(0);
  }
}

// A function of its own, so that only the bytes stay in memory while the client reads.
async function readChunk(request: PageRequest, read: ReadRows, place: Place, file: RowFile) {
  const { rows, nextCursor } = await read({ ...request, deadline: performance.now() + CHUNK_MS }, place);
  return { bytes: file.write(rows), rows: rows.length, after: nextCursor };
}

/** The number of rows so far and the length of the bytes, with four bytes each, and the bytes. */
function toFrame(rows: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(rows);
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}
