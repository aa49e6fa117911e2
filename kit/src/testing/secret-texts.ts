import fc from "fast-check";

const digits = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The ways in which a secret in base64 may be written: as it is, in a URL, in a URL within a URL, and in JSON by two languages. */
const spellings: ((secret: string) => string)[] = [
  (secret) => secret,
  encodeURIComponent,
  (secret) => encodeURIComponent(encodeURIComponent(secret)).toLowerCase(),
  (secret) => secret.replaceAll("/", "\\/"),
  (secret) => secret.replace(/[+/=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
];

/** A text, and the part of it that must not be visible. */
const secrets = fc.oneof(
  fc
    .tuple(fc.constantFrom("service_test_", "service_live_", "service_live_eu_"), digits(base62, 35))
    .map(([prefix, hidden]) => [prefix + hidden, hidden] as const),
  digits(`${base62}-_`, 43).map((hidden) => [`whsec_${hidden}`, hidden] as const),
  fc
    .tuple(digits(base62.toLowerCase(), 41), fc.constantFrom(...spellings))
    .map(([hidden, spell]) => [spell(`whsec_+/${hidden}=`), hidden] as const),
);

// These are characters at which a word boundary, JSON or a URL would end, and any others.
const neighbours = fc.oneof(
  fc.constantFrom(
    "",
    "order_",
    "_",
    "x",
    "7",
    "-",
    "\n",
    "\t",
    '"',
    "\\",
    "/",
    "%",
    ":",
    "é",
    "…",
    "Bearer ",
    "whsec_",
    "service_live_",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

/** Generates texts with an API key or a webhook secret between any neighbours, and the part that must not be visible. */
export const secretTexts = fc
  .tuple(neighbours, secrets, neighbours)
  .map(([before, [secret, hidden], after]) => ({ text: before + secret + after, hidden }));
