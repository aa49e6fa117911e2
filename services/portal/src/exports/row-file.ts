import { toCell } from "./csv-cell.js";
import { createSheet } from "./sheet.js";

/** A row: the text of each column. */
export type FileRow = readonly (string | undefined)[];

/**
 * A file of rows that is made chunk by chunk. A column whose heading ends with `_at` has times, in ISO 8601. Each function yields the bytes that
 * follow those before; `write` may keep some for later.
 */
export interface RowFile {
  begin(headings: readonly string[]): Buffer;
  write(rows: readonly FileRow[]): Buffer;
  end(): Buffer;
}

interface Format {
  name: string;
  type: string;
  create(): RowFile;
}

export type FormatName = "csv" | "xlsx";

/** The formats of files, by the ends of their names. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  csv: { name: "CSV", type: "text/csv; charset=utf-8", create: createCsv },
  xlsx: {
    name: "XLSX",
    type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    create: () => createSheet({ textWidth: 24, timeWidth: 18 }),
  },
};

function createCsv(): RowFile {
  return {
    // Spreadsheets recognise UTF-8 by the byte order mark at the beginning.
    begin: (headings) => Buffer.from(`\ufeff${toLine(headings)}`),
    // Each line becomes bytes by itself: V8 keeps a string as long as the chunk until it next collects the whole heap, which a burst of downloads
    // would fill.
    write: (rows) => Buffer.concat(rows.map((row) => Buffer.from(toLine(row)))),
    end: () => Buffer.alloc(0),
  };
}

const toLine = (cells: FileRow) => `${cells.map((text = "") => toCell(text)).join(",")}\r\n`;
