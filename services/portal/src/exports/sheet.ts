import { constants, crc32, deflateRawSync } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import type { FileRow, RowFile } from "./row-file.js";

/** Widths of columns, in characters. */
interface Widths {
  textWidth: number;
  timeWidth: number;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The parts of a workbook besides its sheet (ECMA-376, part 1, 12.2). */
const PARTS: Readonly<Record<string, string>> = {
  "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/></Types>`,
  "_rels/.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Export" sheetId="1" r:id="r1"/></sheets></workbook>`,
  // The formats of cells, by their numbers: 0 none, 1 text (49, "@"), 2 time, 3 heading.
  "xl/styles.xml": `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf numFmtId="49" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/></cellXfs></styleSheet>`,
};

const TEXT = 1;
const TIME = 2;
const HEADING = 3;

// The rows of an export are alike, so a low level makes them a tenth of their size.
const LEVEL = 2;

/** A part of the file. Each piece is compressed by itself and ends at a byte (RFC 1951, 3.2.4), so nothing is kept between two pieces. */
function createPart(filename: string) {
  const part: ZipInputFile = { filename, compression: 8, size: 0, crc: 0 };
  return {
    part,
    push(bytes: Buffer, isLast: boolean): void {
      part.size += bytes.length;
      part.crc = crc32(bytes, part.crc);
      const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
      part.ondata?.(null, deflateRawSync(bytes, { level: LEVEL, finishFlush }), isLast);
    },
  };
}

/**
 * An XLSX file of one sheet. Texts are cells of the type text with the format text, so they stay as they are, zeros and signs included, and none
 * is a formula. Times are numbers with the format of a time, in UTC.
 */
export function createSheet({ textWidth, timeWidth }: Widths): RowFile {
  let made: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    made.push(bytes);
  });
  const add = (name: string) => {
    const { part, push } = createPart(name);
    zip.add(part);
    return push;
  };
  const take = () => {
    const bytes = Buffer.concat(made);
    made = [];
    return bytes;
  };
  const addText = (name: string, text: string) => add(name)(Buffer.from(XML + text), true);
  let push: ReturnType<typeof add>;
  let styles: readonly number[] = [];

  return {
    begin(headings) {
      for (const [name, xml] of Object.entries(PARTS)) addText(name, xml);
      push = add("xl/worksheets/sheet1.xml");
      styles = headings.map((heading) => (heading.endsWith("_at") ? TIME : TEXT));
      const columns = styles.map((style, index) => {
        const width = style === TIME ? timeWidth : textWidth;
        return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
      });
      const frozen = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
      const views = `<sheetViews><sheetView workbookViewId="0">${frozen}</sheetView></sheetViews>`;
      const heading = `<row>${headings.map((text) => textCell(text, HEADING)).join("")}</row>`;
      const before = `<worksheet xmlns="${MAIN}">${views}<cols>${columns.join("")}</cols><sheetData>`;
      push(Buffer.from(XML + before + heading), false);
      return take();
    },
    write(rows) {
      push(Buffer.concat(rows.map((row) => Buffer.from(toRow(row, styles)))), false);
      return take();
    },
    end() {
      push(Buffer.from("</sheetData></worksheet>"), true);
      zip.end();
      return take();
    },
  };
}

const toRow = (row: FileRow, styles: readonly number[]) =>
  `<row>${row.map((text = "", index) => toCell(text, styles[index] ?? TEXT)).join("")}</row>`;

function toCell(text: string, style: number): string {
  if (text === "") return "<c/>";
  return style === TIME ? `<c s="${TIME}"><v>${toSerial(text)}</v></c>` : textCell(text, style);
}

const textCell = (text: string, style: number) =>
  `<c s="${style}" t="inlineStr"><is><t xml:space="preserve">${toXml(text)}</t></is></c>`;

/** Days since the end of 1899, of which day 60 is one that there never was. */
const toSerial = (time: string) => Date.parse(time) / 86_400_000 + 25_569;

/** Characters that XML cannot have or would change, and the beginning of what spreadsheets read as one of these (ECMA-376, part 1, 22.9.2.19). */
const SPECIAL = /[&<>\0-\x08\x0b-\x1f\ufffe\uffff\p{Cs}]|_(?=x[0-9a-f]{4}_)/giu;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const toXml = (text: string) =>
  text.replace(SPECIAL, (character) => {
    if (character >= "\ud800") return "\ufffd";
    return ENTITIES[character] ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  });
