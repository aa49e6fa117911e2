import PDFDocument from "pdfkit";
import { type Face, widthOf, winAnsi } from "./font.js";
import { type Box, type Field, layOut } from "./layout.js";

export type PdfPage = typeof PDFDocument.prototype;

/** How and where a line is written: `x` is its left edge unless `align` says otherwise, all in points from the page's top left. */
export interface Style {
  x: number;
  baseline: number;
  face: Face;
  size: number;
  color?: string;
  align?: "left" | "center" | "right";
}

export const REGULAR: Face = "Helvetica";
export const BOLD: Face = "Helvetica-Bold";

/** A document of one page, in which nothing depends on the clock. */
export function openPage(options: { size: [number, number]; title: string; createdAt: Date }): PdfPage {
  const info = { Title: options.title, CreationDate: options.createdAt };
  const page = new PDFDocument({ size: options.size, margin: 0, font: "", info });
  // Declared by hand: pdfkit's `font` parses the metrics anew for every document, which costs more than all the rest.
  for (const face of [REGULAR, BOLD]) {
    const font = page.ref({ Type: "Font", Subtype: "Type1", BaseFont: face, Encoding: "WinAnsiEncoding" });
    page.page.fonts[face] = font;
    font.end(null);
  }
  return page;
}

/** Writes a printable text on one line. */
export function write(page: PdfPage, text: string, style: Style): void {
  const { x, baseline, face, size, color = "black", align = "left" } = style;
  const left = x - { left: 0, center: 0.5, right: 1 }[align] * widthOf(text, face, size);
  // pdfkit turns the page upside down so that y grows downwards; the matrix turns the letters back.
  const matrix = `1 0 0 -1 ${left.toFixed(2)} ${baseline.toFixed(2)}`;
  page.fillColor(color);
  page.addContent(`BT /${face} ${size.toFixed(2)} Tf ${matrix} Tm <${winAnsi(text).toString("hex")}> Tj ET`);
}

/** Writes fields as a block, as large as its box allows. */
export function writeBlock(page: PdfPage, fields: Field[], x: number, top: number, box: Box): void {
  for (const { text, face, size, baseline } of layOut(fields, box)) {
    write(page, text, { x, baseline: top + baseline, face, size });
  }
}

/** Writes the small name of a part of the label into its top left corner. */
export function writeCaption(page: PdfPage, text: string, x: number, top: number): void {
  write(page, text, { x, baseline: top + 9, face: REGULAR, size: 6, color: "#333333" });
}

/** Ends the document and yields its bytes. */
export function closePage(page: PdfPage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    page.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    page.on("end", () => resolve(Buffer.concat(chunks)));
    page.on("error", reject);
    page.end();
  });
}
