import type { Address } from "@shipping/proto/shipping/records/v1/records_pb";
import { formatAddress, type Address as Layout } from "localized-address-format";
import { countryName } from "./country-name.js";

/** `local` is the order used within the country, `latin` the one used from abroad, in Latin letters; most countries have one order for both. */
export type Script = "local" | "latin";

export interface AddressLine {
  text: string;
  strong: boolean;
}

// Private-use characters stand for the fields while the library orders them, so it never interprets a customer's text.
const NAME = "\ue000";
const COMPANY = "\ue001";
const STREET1 = "\ue002";
const STREET2 = "\ue003";
const CITY = "\ue004";
const STATE = "\ue005";
const POSTAL_CODE = "\ue006";
const OTHER_PRIVATE_USE = "\ue007";
const FIELDS = /[\ue000-\ue006]/g;
const STRONG = new RegExp(`[${NAME}${CITY}${POSTAL_CODE}]`);
const PREFIX = new RegExp(`[^ ,\ue000-\ue006]+(?=${POSTAL_CODE})`);
// If there are two street lines, the library begins the next line with the separator that followed the street.
const SEPARATOR = /^[ ,]+/;
const PLACE = "\0";

const WIDE = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}]";
const WIDE_START = new RegExp(`^${WIDE}`, "u");
const WIDE_END = new RegExp(`${WIDE}$`, "u");

/** Returns the postal address in the order of its country, then the country's name. A field that `printable` makes empty is left out. */
export function addressLines(address: Address, script: Script, printable: (text: string) => string): AddressLine[] {
  const texts = new Map<string, string>();
  const take = (field: string, text: string | undefined) => {
    const printed = printable((text ?? "").replace(FIELDS, OTHER_PRIVATE_USE));
    if (printed !== "") texts.set(field, printed);
  };
  take(NAME, address.name);
  take(COMPANY, address.company);
  take(STREET1, address.street1);
  take(STREET2, address.street2);
  take(CITY, address.city);
  take(STATE, address.state);
  if (hasPostalCode(address)) take(POSTAL_CODE, address.postalCode);

  const lines = formatAddress(arrange(address.country, script, texts), script).map((line) => ({
    text: fill(line, texts),
    strong: STRONG.test(line),
  }));
  return [...lines, { text: countryName(address.country), strong: true }];
}

// These placeholders are sent as the required postal code of a country that has no postal codes.
const PLACEHOLDER = /^(?:[-0\s]+|n\/?a)$/i;

/** Returns true if the postal code is more than a placeholder in a country that has no postal codes. */
export function hasPostalCode({ country, postalCode }: Pick<Address, "country" | "postalCode">): boolean {
  return !PLACEHOLDER.test(postalCode.trim()) || placesIn(country, "local").postalCode;
}

/** The fields for which a country's layout has a place, whether it begins with the largest unit, and the words that it prints by itself. */
interface Places {
  city: boolean;
  state: boolean;
  postalCode: boolean;
  largestFirst: boolean;
  words: string[];
}

// The cache is bounded: two orders for each two-letter code.
const known = new Map<string, Places>();

function placesIn(country: string, script: Script): Places {
  const key = `${country} ${script}`;
  const kept = known.get(key);
  if (kept) return kept;
  const layOut = (fields: Layout) => formatAddress({ postalCountry: country, ...fields }, script);
  const has = (place: keyof Layout) => layOut({ [place]: PLACE }).some((line) => line.includes(PLACE));
  const places = {
    city: has("locality"),
    state: has("administrativeArea"),
    postalCode: has("postalCode"),
    largestFirst: layOut({ name: NAME, addressLines: [PLACE] })[0] === PLACE,
    words: layOut({ postalCode: PLACE }).flatMap((line) => line.split(" ")),
  };
  known.set(key, places);
  return places;
}

// The rule is that of DIN 5008. Layouts of other countries with the same rule, such as France, have it already.
const COMPANY_FIRST = new Set(["DE"]);

const isSame = (city = "", state = "") => city.toUpperCase() === state.toUpperCase();

/** Moves a field without a place in the country's layout to the town; a town without a place joins the state or the street. */
function arrange(country: string, script: Script, texts: Map<string, string>): Layout {
  const places = placesIn(country, script);
  const given = (field: string) => (texts.has(field) ? field : "");
  const between = (separator: string, ...parts: string[]) => parts.filter(Boolean).join(separator);

  const streets = [given(STREET1), given(STREET2)];
  // Singapore's layout prints the town by itself.
  let city = places.words.includes(texts.get(CITY)?.toUpperCase() ?? "") ? "" : given(CITY);
  let state = isSame(texts.get(CITY), texts.get(STATE)) ? "" : given(STATE);
  let postalCode = given(POSTAL_CODE);
  if (!places.state) [city, state] = [between(", ", city, state), ""];
  if (!places.postalCode) [city, postalCode] = [between(" ", city, postalCode), ""];
  if (!places.city) {
    if (!places.state) streets[places.largestFirst ? "unshift" : "push"](city);
    else state = places.largestFirst ? state + city : between(", ", city, state);
    city = "";
  }
  const people = [given(NAME), given(COMPANY)];
  if (COMPANY_FIRST.has(country) && texts.has(COMPANY)) people.reverse();
  return {
    postalCountry: country,
    name: people[0] ?? "",
    organization: people[1] ?? "",
    addressLines: streets.filter(Boolean),
    locality: city,
    administrativeArea: state,
    postalCode,
  };
}

/** Fills in the texts. If the postal code already begins with the layout's prefix (`SE-`, `〒`), the prefix is printed only once. */
function fill(line: string, texts: Map<string, string>): string {
  const prefix = PREFIX.exec(line)?.[0] ?? "";
  const repeated = texts.get(POSTAL_CODE)?.toUpperCase().startsWith(prefix);
  let filled = "";
  let wasField = false;
  for (const part of (repeated ? line.replace(prefix, "") : line).replace(SEPARATOR, "")) {
    const text = texts.get(part);
    // Layouts in Chinese letters need no spaces, and Mozambique's lacks one.
    if (text && wasField && !(WIDE_END.test(filled) && WIDE_START.test(text))) filled += " ";
    filled += text ?? part;
    wasField = text !== undefined;
  }
  return filled;
}
