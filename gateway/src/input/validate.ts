import { type FieldError, failFields, MAX_FIELDS } from "@shipping/kit/errors";
import type { z } from "zod";
import type { JsonBody } from "./json-body.js";
import { type LostNumbers, NONE_LOST, type Place } from "./lost-numbers.js";
import { noQuery } from "./schemas.js";

/** The query of a request, as its schema gives it; throws the 422 that names the invalid parameters. */
export function validQuery<Query>(schema: z.ZodType<Query>, url: string): Query {
  return requireValid<Query>(checkQuery(schema, url), "query");
}

/** The value that was checked; throws the 422 that names the invalid fields. */
export function requireValid<Value>({ value, faults, more }: Checked, whole: "body" | "query" = "body"): Value {
  if (faults.length > 0) throw failFields(faults, whole, more);
  return value as Value;
}

/** A value as its schema returns it, or the invalid fields. */
export interface Checked {
  value: unknown;
  faults: FieldError[];
  /** How many faults there are beyond those. */
  more: number;
  /** The members of the value at or in which they are. */
  unsound: ReadonlySet<PropertyKey>;
}

/** The members of a value in which no fault was found. */
export function soundMembers(value: unknown, { unsound }: Checked): Record<string, unknown> {
  const members = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(members.filter(([name]) => !unsound.has(name)));
}

const NOTHING: Checked = { value: undefined, faults: [], more: 0, unsound: new Set() };

/** Checks the body of a write, and that it has no query. */
export function checkBody(schema: z.ZodType | undefined, body: JsonBody | undefined, url: string): Checked {
  const content = schema ? check(schema, body?.value, "body", body?.lost) : NOTHING;
  const query = checkQuery(noQuery, url);
  return { ...content, faults: [...query.faults, ...content.faults], more: query.more + content.more };
}

function checkQuery(schema: z.ZodType, url: string): Checked {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of pairs(url)) {
    if (parameters.has(name)) repeated.add(name);
    parameters.set(name, value);
  }
  const checked = check(schema, Object.fromEntries(parameters), "query");
  const twice = [...repeated].map((path) => ({ path, message: "must not be repeated" }));
  return { ...checked, faults: [...twice, ...checked.faults] };
}

function pairs(url: string): [name: string, value: string][] {
  const start = url.indexOf("?");
  return start < 0 ? [] : decodePairs(url.slice(start + 1), "query");
}

/** The names and values of a query, or of a form, as they were sent. URLSearchParams would put U+FFFD where the encoding is broken. */
export function decodePairs(text: string, whole: "query" | "form"): [name: string, value: string][] {
  const decode = (part: string) => {
    try {
      return decodeURIComponent(part.replaceAll("+", " "));
    } catch {
      throw failFields([{ path: whole, message: "must be percent-encoded UTF-8" }]);
    }
  };
  const parts = text.split("&");
  return parts.filter(Boolean).map((part) => {
    const [name = "", ...value] = part.split("=");
    return [decode(name), decode(value.join("="))];
  });
}

/** Checks a value. A fault of the value as a whole gets the path `whole`. `lost` are numbers that JavaScript cannot represent. */
export function check(
  schema: z.ZodType,
  value: unknown,
  whole: "body" | "query" | "form",
  lost: LostNumbers = NONE_LOST,
): Checked {
  const parsed = schema.safeParse(value);
  if (parsed.success && lost.places.length === 0) return { ...NOTHING, value: parsed.data };
  const faults: FieldError[] = [];
  const unsound = new Set<PropertyKey>();
  // By the path as a list: `to.name` may be a member of `to` and a member of its own.
  const seen = new Set<string>();
  let more = lost.more;

  function add(path: PropertyKey[], message: string): void {
    const place = JSON.stringify(path);
    if (seen.has(place)) return;
    seen.add(place);
    faults.push({ path: written(path) || whole, message });
  }

  for (const issue of [...lost.places.map(lostNumber), ...(parsed.error?.issues ?? [])]) {
    const isUnknown = issue.code === "unrecognized_keys";
    const members = isUnknown && issue.path.length === 0 ? issue.keys : [issue.path[0] ?? ""];
    for (const name of members) unsound.add(name);
    if (!isUnknown) {
      add(issue.path, issue.message);
      continue;
    }
    // Each is a fault of its own; of thousands, only those that will be named get a sentence.
    const named = issue.keys.slice(0, Math.max(0, MAX_FIELDS - faults.length));
    for (const name of named) add([...issue.path, name], name.includes(".") ? UNKNOWN_WITH_DOT : UNKNOWN);
    more += issue.keys.length - named.length;
  }
  return { value: undefined, faults, more, unsound };
}

const UNKNOWN = "is unknown";
const UNKNOWN_WITH_DOT = "is unknown: this is one name with a dot in it";

function lostNumber(path: Place): z.core.$ZodIssue {
  return {
    code: "custom",
    path,
    message: "must be a number that double precision stores without loss: use at most 15 significant digits",
    input: undefined,
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A path as integrators read it. A member without a name is named by its quotes. */
function written(path: readonly PropertyKey[]): string {
  return path.map((name) => (name === "" ? '""' : String(name))).join(".");
}
