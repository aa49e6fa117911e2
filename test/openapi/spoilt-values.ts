import fc from "fast-check";

// Values on both sides of the contract's rules.
const TEXTS = [
  ..."\u0000 \u0008 \u000b \u000c \u001b \u001f \ufeff \u180e \u200b \u3164 \u2800 \u{e0041} \u007f \u009f \ufffe \u{10ffff}".split(
    " ",
  ),
  ..."\t,\n,\r, ,\u0085,\u00a0,\u1680,\u2000,\u200a,\u2028,\u2029,\u202f,\u205f,\u3000, \u3000\t".split(","),
  ...["", "x", "x\u0000", "\u001fx", "a\n", "DE", "de", "DEU", "D\u00c9", "DE\n", "pdf", "png", "order.created"],
  ...["x".repeat(200), "x".repeat(201), "😀".repeat(200), "😀".repeat(201), `${" ".repeat(200)}x`],
];
const NUMBERS = [0, 1, 1000, 1000.0001, -1, 5e-324, 1e308, 12.5];
const OTHERS = [
  null,
  true,
  [],
  {},
  ["order.created"],
  ["order.created", "order.created"],
  { "\u0000": 1 },
  { a: ["\u0001"] },
];

const URL_PARTS = [
  ..."https HTTPS http ftp : / // ? # @ . - _ : :443 :0443 :80 :0 example EXAMPLE com co uk a 1 0x7f 0x 127.0.0.1".split(
    " ",
  ),
  ..."localhost local internal home arpa onion test invalid svc cluster xn--bcher-kva /hook ?a=b [::1] user".split(" "),
  ...[
    "https://",
    "https://example.com",
    "HTTPS://a.",
    "a".repeat(63),
    "a".repeat(64),
    `${"a.".repeat(60)}`,
    "/".repeat(2_000),
    "ü",
    " ",
  ],
];
const urls = fc
  .array(fc.constantFrom(...URL_PARTS), { maxLength: 9 })
  .chain((parts) => fc.constantFrom(parts.join(""), `https://${parts.join("")}`, `https://${parts.join(".")}`));

const anything = fc.oneof(
  fc.constantFrom<unknown>(...TEXTS),
  fc.constantFrom<unknown>(...NUMBERS),
  fc.constantFrom<unknown>(...OTHERS),
  fc.string({ unit: "binary", maxLength: 210 }),
  fc.jsonValue({ maxDepth: 4 }),
);

type Json = Record<string, unknown>;

/** Every place in a value, the value itself first. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]))];
}

/** The value with another value at one place, or without it. */
function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const members = Object.entries(value as Json).map(([one, member]) => [
    one,
    one === name ? replaced(member, rest, by) : member,
  ]);
  const left = members.filter(([, member]) => member !== undefined);
  return Array.isArray(value) ? left.map(([, member]) => member) : Object.fromEntries(left);
}

function added(value: unknown, name: string, member: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? { ...value, [name]: member } : member;
}

/** Valid bodies in which one place was changed; the result may be valid or not. */
export function spoiltBodies(bodies: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.constantFrom("replace", "remove", "add", "url");
  return fc.tuple(bodies, fc.nat(), change, anything, urls).map(([body, at, how, by, url]) => {
    const places = placesIn(body);
    const place = places[at % places.length] ?? [];
    if (how === "remove") return place.length > 0 ? replaced(body, place, undefined) : {};
    if (how === "add") return replaced(body, place, added(valueAt(body, place), "note", by));
    return how === "url" && (body as Json).url ? { ...(body as Json), url } : replaced(body, place, by);
  });
}

function valueAt(value: unknown, place: readonly string[]): unknown {
  return place.reduce((at, name) => (at as Json)[name], value);
}
