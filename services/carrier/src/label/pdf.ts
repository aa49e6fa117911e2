import type { Address, Parcel } from "@shipping/proto/shipping/records/v1/records_pb";
import { addressFields, textFields } from "./address-fields.js";
import { drawLinear, drawMatrix, matrixText } from "./barcode.js";
import {
  BARCODE,
  CENTER,
  FACT,
  FACTS,
  LEFT,
  labelPdf,
  MATRIX,
  PADDING,
  RECIPIENT,
  REFERENCE,
  RIGHT,
  ROUTING,
  SENDER,
  SERVICE,
  TEXT_WIDTH,
} from "./form.js";
import { sizeFor } from "./layout.js";
import type { Page } from "./letters/carry-font.js";
import { transliterated } from "./letters/standard-font.js";
import { BOLD, drawInside, newPage, REGULAR, write, writeBlock } from "./page.js";

export interface LabelContent {
  trackingNumber: string;
  service: string;
  reference: string;
  from: Address;
  to: Address;
  parcel: Parcel;
  createdAt: Date;
}

/** Draws a label: always one page, and the same bytes for the same content. */
export function renderLabelPdf(content: LabelContent): Uint8Array {
  const { trackingNumber, createdAt } = content;
  const page = newPage();
  drawSender(page, content.from);
  drawFacts(page, content);
  drawRecipient(page, content.to);
  drawRouting(page, content);
  drawBarcode(page, trackingNumber);
  return labelPdf(page, { title: `Test label ${trackingNumber}`, id: trackingNumber, createdAt });
}

function drawSender(page: Page, from: Address): void {
  drawPhone(page, from.phone, LEFT + 36, SENDER + 3.5, FACTS - LEFT - 36 - PADDING);
  const box = { width: FACTS - LEFT - 2 * PADDING, height: 64, most: 8, least: 5 };
  const fields = addressFields(from, { emphasis: 1, beneath: "paragraph" });
  const part = { left: LEFT, top: SENDER, right: FACTS, bottom: RECIPIENT };
  drawInside(page, part, () => writeBlock(page, fields, LEFT + PADDING, SENDER + 15, box));
}

function drawFacts(page: Page, content: LabelContent): void {
  const { weightKg, lengthCm, widthCm, heightCm } = content.parcel;
  const facts = [
    `${decimal(weightKg)} kg`,
    `${[lengthCm, widthCm, heightCm].map(decimal).join(" × ")} cm`,
    content.createdAt.toISOString().slice(0, 10),
  ];
  for (const [index, text] of facts.entries()) {
    const size = sizeFor(text, BOLD, 9.5, RIGHT - FACTS - 2 * PADDING);
    write(page, text, { x: FACTS + PADDING, baseline: SENDER + (index + 1) * FACT + 17, face: BOLD, size });
  }
}

function drawRecipient(page: Page, to: Address): void {
  drawPhone(page, to.phone, LEFT + 46 + PADDING, RECIPIENT + 4.5, TEXT_WIDTH - 46);
  const box = { width: TEXT_WIDTH, height: ROUTING - RECIPIENT - 24, most: 15, least: 6 };
  const fields = addressFields(to, { emphasis: 1.15, beneath: "lines" });
  const part = { left: LEFT, top: RECIPIENT, right: RIGHT, bottom: ROUTING };
  drawInside(page, part, () => writeBlock(page, fields, LEFT + PADDING, RECIPIENT + 20, box));
}

function drawRouting(page: Page, { to, service, reference, trackingNumber }: LabelContent): void {
  const middle = (LEFT + SERVICE) / 2;
  const country = transliterated(to.country);
  const size = sizeFor(country, BOLD, 30, SERVICE - LEFT - PADDING);
  write(page, country, { x: middle, baseline: ROUTING + 39, face: BOLD, size, align: "center" });
  const x = SERVICE + PADDING;
  write(page, service, { x: MATRIX - PADDING, baseline: ROUTING + 10, face: BOLD, size: 8.5, align: "right" });
  const box = { width: MATRIX - PADDING - x, height: 19, most: 12, least: 6 };
  const part = { left: SERVICE, top: REFERENCE, right: MATRIX, bottom: BARCODE };
  drawInside(page, part, () => writeBlock(page, textFields(reference), x, REFERENCE + 11.5, box));
  drawMatrix(page, matrixText(trackingNumber, to), { x: (MATRIX + RIGHT) / 2, y: (ROUTING + BARCODE) / 2 });
}

function drawBarcode(page: Page, trackingNumber: string): void {
  drawLinear(page, trackingNumber, { center: CENTER, top: BARCODE + 12, height: 72, room: RIGHT - LEFT - 2 });
  const grouped = trackingNumber.replace(/(.{4})(?=.)/g, "$1 ");
  const size = sizeFor(grouped, BOLD, 13, TEXT_WIDTH);
  write(page, grouped, { x: CENTER, baseline: BARCODE + 100, face: BOLD, size, align: "center" });
}

/**
 * Prints the telephone number beside the heading of a postal address, because it is not part of the address. Email addresses do not belong
 * on a parcel.
 */
function drawPhone(page: Page, phone: string | undefined, x: number, top: number, width: number): void {
  const text = transliterated(phone ?? "");
  if (text === "") return;
  const box = { width, height: 8, most: 7, least: 5 };
  writeBlock(page, [{ text: `Tel. ${text}`, face: REGULAR, scale: 1 }], x, top, box);
}

function decimal(value: number): string {
  return value < 0.001 ? "< 0.001" : String(Number(value.toFixed(3)));
}
