import { type AddressLine, addressLines } from "@shipping/kit/postal/address-lines";
import type { Address } from "@shipping/proto/shipping/records/v1/records_pb";
import type { Field } from "./layout.js";
import { isForeign, ownLetters } from "./letters/letters.js";
import { isWinAnsi, transliterated } from "./letters/standard-font.js";

// The most letters in an address or a reference whose glyphs the label embeds. Typical addresses have eighty.
const MAX_LETTERS = 300;
// The size of Latin letters below others, relative to those.
const BENEATH = 0.72;

/** The relative sizes of name, town and country, and of Latin letters below others. */
export interface AddressStyle {
  emphasis: number;
  beneath: "lines" | "paragraph";
}

/**
 * Returns the postal address as printed. Text in non-Latin letters is printed in its own letters, and in Latin ones below. The country's
 * name comes last.
 */
export function addressFields(address: Address, { emphasis, beneath }: AddressStyle): Field[] {
  const field = (line: AddressLine) => toField(line, line.strong ? emphasis : 1);
  const latin = addressLines(address, "latin", transliterated);
  const { name, company = "", street1, street2 = "", city, state = "", postalCode } = address;
  if (isWinAnsi([name, company, street1, street2, city, state, postalCode].join(""))) return latin.map(field);
  const own = addressLines(address, "local", ownLetters);
  if (areTooMany(own)) return latin.map(field);
  if (!own.some(({ text }) => isForeign(text))) return addressLines(address, "latin", ownLetters).map(field);
  // Lines that are the same in both, such as a postal code on its own line, are printed once.
  const below = latin
    .slice(0, -1)
    .flatMap(({ text }) => (/\p{L}/u.test(text) && !own.some((line) => line.text === text) ? [text] : []));
  return [
    ...own.slice(0, -1).map(field),
    ...(beneath === "lines" ? below : [below.join(", ")]).map((text) => toField({ text, strong: false }, BENEATH)),
    ...latin.slice(-1).map(field),
  ];
}

/**
 * Returns a text in bold, in its own letters; if those are not Latin, in Latin ones below as well, or if they are too many, in those alone.
 */
export function textFields(text: string): Field[] {
  const own = { text: ownLetters(text), strong: true };
  const latin = { text: transliterated(text), strong: true };
  if (isWinAnsi(own.text) || areTooMany([own])) return [toField(latin, 1)];
  return [toField(own, 1), ...(isForeign(own.text) ? [toField(latin, BENEATH)] : [])];
}

function toField({ text, strong }: AddressLine, scale: number): Field {
  const face = isWinAnsi(text) ? (strong ? "Helvetica-Bold" : "Helvetica") : strong ? "Letters-Bold" : "Letters";
  return { text, face, scale };
}

function areTooMany(lines: readonly { text: string }[]): boolean {
  return lines.reduce((sum, { text }) => sum + (isWinAnsi(text) ? 0 : text.length), 0) > MAX_LETTERS;
}
