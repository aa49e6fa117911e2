import type { Api } from "../api.js";
import type { Check } from "../check.js";
import { must, mustRefuse, mustSucceed } from "../judge.js";

// One entry for each row of the specification's tables, for either `from` or `to`.
const ADDRESS = "name street1 city postal_code country company street2 state email phone".split(" ");
const REQUIRED = [
  "reference",
  ...ADDRESS.slice(0, 5).map((field) => `to.${field}`),
  ...["weight_kg", "length_cm", "width_cm", "height_cm"].map((field) => `parcel.${field}`),
];
const PARCEL = REQUIRED.filter((path) => path.startsWith("parcel."));

const ADDRESS_ROWS = ADDRESS.map((field, index) => {
  const rule = field === "country" ? "two-letter country code" : "max 200 characters";
  return `| ${field} | string | ${index < 5 ? "yes" : "no"} | ${rule} |`;
});
const PARCEL_ROWS = PARCEL.map((path) => `| ${path.slice(7)} | number | yes | greater than 0, at most 1000 |`);
const RECORD_ROWS = [
  "| reference | string | yes | client's own order or warehouse reference, max 200 characters;",
  "| from | Address | yes | sender |",
  "| to | Address | yes | recipient |",
  "| parcel | Parcel | yes | one parcel |",
  "| metadata | JSON object | no | at most 4096 characters when serialized |",
];
const LIMIT_ROWS = [
  "| `reference` | at most 200 characters |",
  "| address string values | at most 200 characters |",
  "| `metadata` | at most 4096 characters serialized |",
  "| parcel numbers | greater than 0, at most 1000 |",
];

const ROWS = [...ADDRESS_ROWS, ...PARCEL_ROWS, ...RECORD_ROWS];

/** The faults of a body: the wrong value at each path, or undefined for a missing member. */
type Faults = Record<string, unknown>;

const all = (paths: readonly string[], value: unknown): Faults =>
  Object.fromEntries(paths.map((path) => [path, value]));

const FROM = ADDRESS.map((field) => `from.${field}`);
const TOO_MUCH: Faults = {
  ...all(["reference", ...FROM], "x".repeat(201)),
  "from.country": "DEU",
  ...all(PARCEL, 1000.5),
  metadata: { note: "n".repeat(4096 - 10) },
};
const MISSING = all(REQUIRED, undefined);
const NOT_ONE: Faults = { from: undefined, to: undefined, parcel: [{}, {}] };
const ZERO: Faults = { reference: 5, "to.name": 5, "to.country": "D1", ...all(PARCEL, 0), metadata: "text" };
const TEXT: Faults = { from: "text", "to.street1": [], ...all(PARCEL, "5"), "parcel.weight_kg": -1, metadata: [] };
const UNKNOWN = all(["unknown_one", "from.unknown_two", "parcel.unknown_three"], "x");

/** The body with these faults. */
function spoil(body: object, faults: Faults): object {
  const spoilt = structuredClone(body) as Record<string, Record<string, unknown>>;
  for (const [path, value] of Object.entries(faults)) {
    const [outer, inner] = path.split(".") as [string, string?];
    if (inner === undefined) Object.assign(spoilt, { [outer]: value });
    else Object.assign(spoilt[outer] ?? {}, { [inner]: value });
  }
  return spoilt;
}

/** The paths that an error names. If it names no full path, their last parts count. */
function namedIn(error: unknown, paths: readonly string[]): string[] {
  const text = JSON.stringify(error ?? "");
  const names = (name: string) => new RegExp(`(?<![\\w.])${name.replace(".", "\\.")}(?![\\w])`).test(text);
  const inFull = paths.filter(names);
  return inFull.length > 0 ? inFull : paths.filter((path) => names(path.split(".").at(-1) ?? path));
}

/** Sends a body with many faults, corrects those that the refusal names, and repeats until each was named. */
async function mustName(api: Api, path: string, body: object, faults: Faults): Promise<void> {
  let left = faults;
  while (Object.keys(left).length > 0) {
    const answer = await api.post(path, spoil(body, left));
    const paths = Object.keys(left);
    must(answer.status >= 400, `POST ${path} accepts a bad ${paths.join(", ")}`);
    mustRefuse(answer, 422);
    const named = namedIn(answer.json?.error, paths);
    must(named.length > 0, `POST ${path} refuses ${paths.join(", ")}, but names none of them`);
    left = Object.fromEntries(Object.entries(left).filter(([one]) => !named.includes(one)));
  }
}

function fieldChecks(resource: "orders" | "shipments"): Check[] {
  // Orders and shipments share one table of fields, so the checks of shipments prove fewer rows.
  const more = (faults: Faults) => (resource === "orders" ? [faults] : []);
  const check = (name: string, bodies: readonly Faults[], proves: readonly string[]): Check => ({
    id: `${resource}.fields-${name}`,
    proves,
    async run({ api, record }) {
      for (const faults of bodies) await mustName(api, `/${resource}`, record, faults);
    },
  });
  return [
    check(
      "required",
      [MISSING, ...more(NOT_ONE)],
      [
        ...[...ADDRESS_ROWS.slice(0, 5), ...PARCEL_ROWS, ...RECORD_ROWS],
        "| 422 | invalid fields (named in the error) |",
        "| parcels per shipment | 1 |",
        "The client supplies the packed parcel's weight and dimensions in the shipment.",
      ],
    ),
    check("bounded", [TOO_MUCH], [...ROWS, ...LIMIT_ROWS, "Country codes are two letters."]),
    check("typed", [ZERO, ...more(TEXT)], ROWS),
    check("unknown", [UNKNOWN], ["Unknown fields are rejected."]),
  ];
}

export const recordFieldChecks: readonly Check[] = [
  ...fieldChecks("orders"),
  ...fieldChecks("shipments"),
  {
    id: "orders.fields-longest",
    proves: [...ADDRESS_ROWS, ...PARCEL_ROWS, ...LIMIT_ROWS, ...RECORD_ROWS.slice(0, 1)],
    run: async ({ fixtures }) => mustSucceed(await fixtures.fullOrder()),
  },
];
