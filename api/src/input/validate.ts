import { type FieldError, failFields, MAX_FIELDS } from "@shipping/kit/errors";
import type { z } from "zod";
import { findQueryFault } from "./fields.js";
import type { JsonBody } from "./json-body.js";
import { type LostNumbers, NONE_LOST } from "./lost-numbers.js";
import { noQuery } from "./schemas.js";
import { adviseOnUnknown, formatPath } from "./unknown-fields.js";

/** Parses the query of a URL with its schema. Throws a 422 that names the invalid parameters. */
export function validQuery<Query>(schema: z.ZodType<Query>, url: string): Query {
  return requireValid<Query>(checkQuery(schema, url), "query");
}

/** Returns the value of a successful check. Throws a 422 that names the invalid fields. */
export function requireValid<Value>({ value, faults, more }: Checked, whole: "body" | "query" = "body"): Value {
  if (faults.length > 0) throw failFields(faults, whole, more);
  return value as Value;
}

/** The result of a check: the value that the schema returns, or the invalid fields. */
export interface Checked {
  value: unknown;
  faults: FieldError[];
  more: number;
  /** The top-level members that are invalid or contain an invalid field. */
  invalidMembers: ReadonlySet<PropertyKey>;
}

/** The top-level members of a value in which the schema found no fault. */
export function validMembers(value: unknown, { invalidMembers }: Checked): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const members = Object.entries(isObject ? value : {});
  return Object.fromEntries(members.filter(([name]) => !invalidMembers.has(name)));
}

const NO_FAULTS: Checked = { value: undefined, faults: [], more: 0, invalidMembers: new Set() };

/** Checks the body of a write, and that it has no query. */
export function checkBody(schema: z.ZodType | undefined, body: JsonBody | undefined, url: string): Checked {
  const content = schema ? check(schema, body?.value, "body", body?.lost) : NO_FAULTS;
  const query = checkQuery(noQuery, url);
  return { ...content, faults: [...query.faults, ...content.faults], more: query.more + content.more };
}

function checkQuery(schema: z.ZodType, url: string): Checked {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  const start = url.indexOf("?");
  const query = start < 0 ? "" : url.slice(start + 1);
  const tooLong = findQueryFault(query);
  if (tooLong) return { ...NO_FAULTS, faults: [tooLong] };
  for (const [name, value] of decodePairs(query, "query")) {
    if (parameters.has(name)) repeated.add(name);
    parameters.set(name, value);
  }
  const checked = check(schema, Object.fromEntries(parameters), "query");
  const twice = [...repeated].map((path) => ({ path, message: "must not be repeated: send it once" }));
  return { ...checked, faults: [...twice, ...checked.faults] };
}

/** Decodes the names and values of a query or form. URLSearchParams would replace invalid encoding with U+FFFD instead of refusing it. */
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

/** Checks a value. If it is invalid as a whole, the path of the fault is `whole`. `lost` are the numbers that a double cannot represent. */
export function check(
  schema: z.ZodType,
  value: unknown,
  whole: "body" | "query" | "form",
  lost: LostNumbers = NONE_LOST,
): Checked {
  const parsed = schema.safeParse(value);
  if (parsed.success && lost.places.length === 0) return { ...NO_FAULTS, value: parsed.data };
  const faults: FieldError[] = [];
  // They come first, because they explain why other fields are missing.
  const wrappers: FieldError[] = [];
  const invalidMembers = new Set<PropertyKey>();
  // The keys are paths as lists, because `to.name` can also be the name of one member.
  const seen = new Set<string>();
  let more = lost.more;

  function add(path: PropertyKey[], message: string, list = faults): void {
    const place = JSON.stringify(path);
    if (seen.has(place)) return;
    seen.add(place);
    list.push({ path: formatPath(path) || whole, message });
  }

  const lostIssues = lost.places.map((path) => ({ code: "custom" as const, path, message: LOST_NUMBER }));
  // The schema's rule for a field comes first, because it is more specific.
  for (const issue of [...(parsed.error?.issues ?? []), ...lostIssues]) {
    const isUnknown = issue.code === "unrecognized_keys";
    const members = isUnknown && issue.path.length === 0 ? issue.keys : [issue.path[0] ?? ""];
    for (const name of members) invalidMembers.add(name);
    if (!isUnknown) {
      add(issue.path, issue.message);
      continue;
    }
    // Thousands of unknown members are counted, but only as many as a refusal can name become faults.
    const named = issue.keys.slice(0, Math.max(0, MAX_FIELDS - wrappers.length - faults.length));
    const advise = adviseOnUnknown(
      issue.keys,
      { schema, value, path: issue.path },
      whole === "query" ? "parameter" : "field",
    );
    for (const name of named) {
      const { message, isWrapper } = advise(name);
      add([...issue.path, name], message, isWrapper ? wrappers : faults);
    }
    more += issue.keys.length - named.length;
  }
  return { value: undefined, faults: [...wrappers, ...faults], more, invalidMembers };
}

const LOST_NUMBER = "must be a number that double precision can hold: send it as a string";
