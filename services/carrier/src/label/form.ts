import PDFDocument from "pdfkit";
import { sizeFor } from "./layout.js";
import type { Page } from "./letters/carry-font.js";
import { BOLD, newPage, REGULAR, write } from "./page.js";
import { preparePdf } from "./pdf-file.js";

// The page has 4 by 6 inches, in points of 1/72 inch. The frame avoids the outer 3 mm, which label printers may not reach.
const PAGE: [width: number, height: number] = [288, 432];
export const LEFT = 9;
export const RIGHT = 279;
export const CENTER = 144;
export const PADDING = 8;
export const TEXT_WIDTH = RIGHT - LEFT - 2 * PADDING;
// The tops of the frame's rows.
const BANNER = 9;
export const SENDER = 38;
export const RECIPIENT = 120;
export const ROUTING = 266;
export const REFERENCE = 281;
export const BARCODE = 313;
const BOTTOM = 423;
// The columns to the right of the sender, and those to the right of the destination.
export const FACTS = 184;
export const SERVICE = 71;
export const MATRIX = RIGHT - (BARCODE - ROUTING);
/** The height of each of the four facts about the parcel. */
export const FACT = (RECIPIENT - SENDER) / 4;

const NOTICE = "TEST LABEL – NOT VALID FOR SHIPPING";

/** Draws everything that is the same on every label. */
function drawForm(): string {
  const page = newPage();
  const pdf = new PDFDocument({ size: PAGE, margin: 0, font: "" });
  pdf.addContent = (operators: string) => {
    page.content += `${operators}\n`;
    return pdf;
  };
  pdf.addContent(`1 0 0 -1 0 ${PAGE[1]} cm`);
  pdf.save().rotate(-35, { origin: [CENTER, 195] });
  write(page, "TEST", { x: CENTER, baseline: 233, face: BOLD, size: 106, gray: 0.925, align: "center" });
  pdf.restore();

  pdf.lineWidth(1.2).rect(LEFT, BANNER, RIGHT - LEFT, BOTTOM - BANNER);
  for (const y of [RECIPIENT, ROUTING, BARCODE]) pdf.moveTo(LEFT, y).lineTo(RIGHT, y);
  pdf.moveTo(FACTS, SENDER).lineTo(FACTS, RECIPIENT).moveTo(SERVICE, ROUTING).lineTo(SERVICE, BARCODE);
  pdf.moveTo(MATRIX, ROUTING).lineTo(MATRIX, BARCODE).stroke();
  for (let top = SENDER + FACT; top < RECIPIENT; top += FACT) pdf.moveTo(FACTS, top).lineTo(RIGHT, top);
  pdf.moveTo(SERVICE, REFERENCE).lineTo(MATRIX, REFERENCE).lineWidth(0.5).stroke();

  pdf
    .rect(LEFT, BANNER, RIGHT - LEFT, SENDER - BANNER)
    .rect(LEFT, RECIPIENT, 46, 14)
    .fill("black");
  const size = sizeFor(NOTICE, BOLD, 16, TEXT_WIDTH);
  write(page, NOTICE, { x: CENTER, baseline: 28, face: BOLD, size, gray: 1, align: "center" });
  write(page, "SHIP TO", { x: LEFT + PADDING, baseline: RECIPIENT + 10, face: BOLD, size: 7.5, gray: 1 });

  write(page, "1 of 1", { x: FACTS + PADDING, baseline: SENDER + 17, face: BOLD, size: 9.5 });
  caption(page, "FROM", LEFT, SENDER);
  for (const [index, name] of ["PARCEL", "WEIGHT", "SIZE", "DATE"].entries())
    caption(page, name, FACTS, SENDER + index * FACT - 1.5);
  caption(page, "DESTINATION", LEFT, ROUTING);
  caption(page, "SERVICE", SERVICE, ROUTING);
  caption(page, "REFERENCE", SERVICE, REFERENCE);
  return page.content;
}

function caption(page: Page, text: string, column: number, top: number): void {
  write(page, text, { x: column + PADDING, baseline: top + 9, face: REGULAR, size: 6, gray: 0.2 });
}

/** Makes a label from the content that is drawn on its form. */
export const labelPdf = preparePdf(PAGE, drawForm());
