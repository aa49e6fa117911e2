import fc from "fast-check";

const digits = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const secrets = fc.oneof(
  fc.tuple(fc.constantFrom("service_test_", "service_live_"), digits(base62, 38)),
  fc.tuple(fc.constant("whsec_"), digits(`${base62}-_`, 43)),
);

// Those that a boundary of words, JSON or a URL would be looked for at, and any others.
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

/** Texts with an API key or a webhook secret between any neighbours, and the part of it that nobody may see. */
export const secretTexts = fc
  .tuple(neighbours, secrets, neighbours)
  .map(([before, [prefix, hidden], after]) => ({ text: before + prefix + hidden + after, hidden }));
