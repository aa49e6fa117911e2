import { foldSpellings, foldText, joinedWordsIn, wordsIn } from "@shipping/kit/fold-text";
import { countryWords } from "./country-names.js";

/** A public order or shipment, as far as it is searched. */
export interface SearchedRecord {
  reference: string;
  from: SearchedAddress;
  to: SearchedAddress;
  [member: string]: unknown;
}

/** The members that find nothing, or that are searched in a way of their own. All others are found by their words. */
const NOT_BY_WORDS = new Set([
  ...["id", "object", "status", "order_id", "label_id", "parcel", "livemode", "created_at"],
  ...["reference", "from", "to"],
]);

interface SearchedAddress {
  name: string;
  company?: string;
  street1: string;
  street2?: string;
  city: string;
  state?: string;
  postal_code: string;
  country: string;
  email?: string;
  phone?: string;
}

/** A search compares each byte, and hashes cost a few microseconds for each character. Fields of usual length take a third of this. */
const MAX_BYTES = 1_200;

/** Folding is most of the cost, so it ends when there is no place left for a word of usual length. */
const USUAL_BYTES = 16;

/**
 * A record's strings as one text, in which each string begins after a space and occurs once. Strings that are found by any part of theirs
 * have a line each. The last line has those that are found by their beginning, and those of digits by any four in a row.
 */
export function toSearchText(record: SearchedRecord): string {
  let left = MAX_BYTES;
  const take = (strings: Iterable<string>): string[] => {
    const taken = new Set<string>();
    for (const string of strings) {
      const bytes = 1 + Buffer.byteLength(string);
      if (string !== "" && bytes <= left && !taken.has(string)) {
        taken.add(string);
        left -= bytes;
      }
      if (left < USUAL_BYTES) break;
    }
    return [...taken];
  };
  const anywhere = take([foldSpaces(foldText(record.reference)), inOnePiece(record.reference)]);
  const lines = [...anywhere, take(beginningsIn(record)).join(" ")];
  return lines.map((line) => ` ${line} `).join("\n");
}

/** The addition to a record's search text once its label has a tracking number: each four digits or more in a row. */
export function trackingDigits(trackingNumber: string): string {
  return (trackingNumber.match(/\d{4,}/g) ?? []).map((digits) => `${digits} `).join("");
}

/** The strings that are found by their beginning: those that callers say most often come first, since a text may be full before the last. */
function* beginningsIn(record: SearchedRecord): Generator<string> {
  yield* wordForms(record.reference);
  const addresses = [record.to, record.from];
  for (const { name, company = "", city, postal_code, email = "", phone = "" } of addresses) {
    for (const text of [name, company, city, postal_code, email]) yield* wordForms(text);
    yield* foldSpellings(email).map(foldSpaces);
    yield inOnePiece(postal_code);
    yield foldText(phone).replace(/\D/g, "");
  }
  for (const { street1, street2 = "", state = "", country } of addresses) {
    for (const text of [street1, street2, state]) yield* wordForms(text);
    yield* countryWords(country);
  }
  for (const [name, member] of Object.entries(record))
    for (const value of NOT_BY_WORDS.has(name) ? [] : valuesIn(member)) yield* wordForms(value);
}

/** The words of a text in each spelling, also without the apostrophes and hyphens in them. */
function* wordForms(text: string): Generator<string> {
  for (const folded of foldSpellings(text)) {
    yield* wordsIn(folded);
    yield* joinedWordsIn(folded);
  }
}

const inOnePiece = (text: string) => wordsIn(foldText(text)).join("");

/** A text whose words are one space apart. */
export const foldSpaces = (text: string) => text.trim().replace(/\s+/g, " ");

function valuesIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(valuesIn);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}
