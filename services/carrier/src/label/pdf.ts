import type { Address, Parcel } from "@shipping/proto/shipping/records/v1/records_pb";
import { addressFields, textFields } from "./address-fields.js";
import { drawLinear, drawMatrix, matrixText } from "./barcode.js";
import { sizeFor } from "./layout.js";
import type { PdfPage } from "./letters/carry-font.js";
import { transliterated } from "./letters/standard-font.js";
import { BOLD, closePage, drawInside, openPage, REGULAR, write, writeBlock, writeCaption } from "./page.js";

export interface LabelContent {
  trackingNumber: string;
  service: string;
  reference: string;
  from: Address;
  to: Address;
  parcel: Parcel;
  createdAt: Date;
}

// 4 by 6 inches, in points of 1/72 inch. The frame avoids the outer 3 mm, which label printers may not reach.
const PAGE: [number, number] = [288, 432];
const LEFT = 9;
const RIGHT = 279;
const CENTER = 144;
const PADDING = 8;
const TEXT_WIDTH = RIGHT - LEFT - 2 * PADDING;
// Tops of the frame's rows.
const BANNER = 9;
const SENDER = 38;
const RECIPIENT = 120;
const ROUTING = 266;
const REFERENCE = 281;
const BARCODE = 313;
const BOTTOM = 423;
// The columns right of the sender, and those right of the destination.
const FACTS = 184;
const SERVICE = 71;
const MATRIX = RIGHT - (BARCODE - ROUTING);

const NOTICE = "TEST LABEL – NOT VALID FOR SHIPPING";

/** Draws a label: always one page, and the same bytes for the same content. */
export function renderLabelPdf(content: LabelContent): Promise<Uint8Array> {
  const page = openPage({
    size: PAGE,
    title: `Test label ${content.trackingNumber}`,
    createdAt: content.createdAt,
  });
  drawWatermark(page);
  drawFrame(page);
  drawBanner(page);
  drawSender(page, content.from);
  drawFacts(page, content);
  drawRecipient(page, content.to);
  drawRouting(page, content);
  drawBarcode(page, content.trackingNumber);
  return closePage(page);
}

function drawWatermark(page: PdfPage): void {
  page.save().rotate(-35, { origin: [CENTER, 195] });
  write(page, "TEST", { x: CENTER, baseline: 233, face: BOLD, size: 106, gray: 0.925, align: "center" });
  page.restore();
}

function drawFrame(page: PdfPage): void {
  page.lineWidth(1.2).rect(LEFT, BANNER, RIGHT - LEFT, BOTTOM - BANNER);
  for (const y of [RECIPIENT, ROUTING, BARCODE]) page.moveTo(LEFT, y).lineTo(RIGHT, y);
  page.moveTo(FACTS, SENDER).lineTo(FACTS, RECIPIENT).moveTo(SERVICE, ROUTING).lineTo(SERVICE, BARCODE);
  page.moveTo(MATRIX, ROUTING).lineTo(MATRIX, BARCODE).stroke();
}

function drawBanner(page: PdfPage): void {
  page.rect(LEFT, BANNER, RIGHT - LEFT, SENDER - BANNER).fill("black");
  const size = sizeFor(NOTICE, BOLD, 16, TEXT_WIDTH);
  write(page, NOTICE, { x: CENTER, baseline: 28, face: BOLD, size, gray: 1, align: "center" });
}

function drawSender(page: PdfPage, from: Address): void {
  writeCaption(page, "FROM", LEFT + PADDING, SENDER);
  drawPhone(page, from.phone, LEFT + 36, SENDER + 3.5, FACTS - LEFT - 36 - PADDING);
  const box = { width: FACTS - LEFT - 2 * PADDING, height: 64, most: 8, least: 5 };
  const fields = addressFields(from, { emphasis: 1, beneath: "paragraph" });
  const part = { left: LEFT, top: SENDER, right: FACTS, bottom: RECIPIENT };
  drawInside(page, part, () => writeBlock(page, fields, LEFT + PADDING, SENDER + 15, box));
}

function drawFacts(page: PdfPage, content: LabelContent): void {
  const { weightKg, lengthCm, widthCm, heightCm } = content.parcel;
  const facts = [
    ["PARCEL", "1 of 1"],
    ["WEIGHT", `${decimal(weightKg)} kg`],
    ["SIZE", `${[lengthCm, widthCm, heightCm].map(decimal).join(" × ")} cm`],
    ["DATE", content.createdAt.toISOString().slice(0, 10)],
  ] as const;
  const row = (RECIPIENT - SENDER) / facts.length;
  const width = RIGHT - FACTS - 2 * PADDING;
  for (const [index, [name, value]] of facts.entries()) {
    const top = SENDER + index * row;
    if (index > 0) page.lineWidth(0.5).moveTo(FACTS, top).lineTo(RIGHT, top).stroke();
    writeCaption(page, name, FACTS + PADDING, top - 1.5);
    const size = sizeFor(value, BOLD, 9.5, width);
    write(page, value, { x: FACTS + PADDING, baseline: top + 17, face: BOLD, size });
  }
}

function drawRecipient(page: PdfPage, to: Address): void {
  page.rect(LEFT, RECIPIENT, 46, 14).fill("black");
  write(page, "SHIP TO", { x: LEFT + PADDING, baseline: RECIPIENT + 10, face: BOLD, size: 7.5, gray: 1 });
  drawPhone(page, to.phone, LEFT + 46 + PADDING, RECIPIENT + 4.5, TEXT_WIDTH - 46);
  const box = { width: TEXT_WIDTH, height: ROUTING - RECIPIENT - 24, most: 15, least: 6 };
  const fields = addressFields(to, { emphasis: 1.15, beneath: "lines" });
  const part = { left: LEFT, top: RECIPIENT, right: RIGHT, bottom: ROUTING };
  drawInside(page, part, () => writeBlock(page, fields, LEFT + PADDING, RECIPIENT + 20, box));
}

function drawRouting(page: PdfPage, { to, service, reference, trackingNumber }: LabelContent): void {
  writeCaption(page, "DESTINATION", LEFT + PADDING, ROUTING);
  const middle = (LEFT + SERVICE) / 2;
  const country = transliterated(to.country);
  const size = sizeFor(country, BOLD, 30, SERVICE - LEFT - PADDING);
  write(page, country, { x: middle, baseline: ROUTING + 39, face: BOLD, size, align: "center" });
  const x = SERVICE + PADDING;
  writeCaption(page, "SERVICE", x, ROUTING);
  write(page, service, { x: MATRIX - PADDING, baseline: ROUTING + 10, face: BOLD, size: 8.5, align: "right" });
  page.lineWidth(0.5).moveTo(SERVICE, REFERENCE).lineTo(MATRIX, REFERENCE).stroke();
  writeCaption(page, "REFERENCE", x, REFERENCE);
  const box = { width: MATRIX - PADDING - x, height: 19, most: 12, least: 6 };
  const part = { left: SERVICE, top: REFERENCE, right: MATRIX, bottom: BARCODE };
  drawInside(page, part, () => writeBlock(page, textFields(reference), x, REFERENCE + 11.5, box));
  drawMatrix(page, matrixText(trackingNumber, to), { x: (MATRIX + RIGHT) / 2, y: (ROUTING + BARCODE) / 2 });
}

function drawBarcode(page: PdfPage, trackingNumber: string): void {
  drawLinear(page, trackingNumber, { center: CENTER, top: BARCODE + 12, height: 72, room: RIGHT - LEFT - 2 });
  const grouped = trackingNumber.replace(/(.{4})(?=.)/g, "$1 ");
  const size = sizeFor(grouped, BOLD, 13, TEXT_WIDTH);
  write(page, grouped, { x: CENTER, baseline: BARCODE + 100, face: BOLD, size, align: "center" });
}

/** Prints the telephone number beside the heading of an address, because it is not part of the address. Email addresses do not belong on a parcel. */
function drawPhone(page: PdfPage, phone: string | undefined, x: number, top: number, width: number): void {
  const text = transliterated(phone ?? "");
  if (text === "") return;
  const box = { width, height: 8, most: 7, least: 5 };
  writeBlock(page, [{ text: `Tel. ${text}`, face: REGULAR, scale: 1 }], x, top, box);
}

function decimal(value: number): string {
  return value < 0.001 ? "< 0.001" : String(Number(value.toFixed(3)));
}
