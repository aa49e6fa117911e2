import { type FieldError, failFields } from "@shipping/kit/errors";
import type { z } from "zod";
import type { JsonBody } from "./json-body.js";
import type { Place } from "./lost-numbers.js";
import { noQuery } from "./schemas.js";

/** The query of a request, as its schema gives it; throws the 422 that names the parameters at fault. */
export function validQuery<Query>(schema: z.ZodType<Query>, url: string): Query {
  const query = checkQuery(schema, url);
  if (query.faults.length > 0) throw failFields(query.faults, "query");
  return query.value as Query;
}

/** The body of a write, as its schema gives it; throws the 422 that names the fields at fault. */
export function validBody<Body>(schema: z.ZodType<Body> | undefined, body: JsonBody | undefined, url: string): Body {
  const { value, faults } = checkBody(schema, body, url);
  if (faults.length > 0) throw failFields(faults);
  return value as Body;
}

/** What a schema makes of a value, or the fields at fault. */
export interface Checked {
  value: unknown;
  faults: FieldError[];
  /** The members of the value in which no fault was found. */
  sound: Record<string, unknown>;
}

/** Checks the body of a write, and that it has no query. */
export function checkBody(schema: z.ZodType | undefined, body: JsonBody | undefined, url: string): Checked {
  const content = schema ? check(schema, body?.value, "body", body?.lost) : { value: undefined, faults: [], sound: {} };
  return { ...content, faults: [...checkQuery(noQuery, url).faults, ...content.faults] };
}

function checkQuery(schema: z.ZodType, url: string): Checked {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of pairs(url)) {
    if (parameters.has(name)) repeated.add(name);
    parameters.set(name, value);
  }
  const checked = check(schema, Object.fromEntries(parameters), "query");
  const twice = [...repeated].map((path) => ({ path, message: "must be given once" }));
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

/** Checks a value; what is wrong with it as a whole goes by the name of `whole`. `lost` are the places of numbers that are not as sent. */
export function check(
  schema: z.ZodType,
  value: unknown,
  whole: "body" | "query" | "form",
  lost: readonly Place[] = [],
): Checked {
  const parsed = schema.safeParse(value);
  if (parsed.success && lost.length === 0) {
    return { value: parsed.data, faults: [], sound: parsed.data as Checked["sound"] };
  }
  const faults: FieldError[] = [];
  // By the path as a list: `to.name` may be a member of `to` and a member of its own.
  const seen = new Set<string>();
  const sound = new Map<PropertyKey, unknown>(Object.entries(isObject(value) ? value : {}));
  for (const issue of [...lost.map(lostNumber), ...(parsed.error?.issues ?? [])]) {
    for (const path of pathsOf(issue)) {
      sound.delete(path[0] ?? "");
      const place = JSON.stringify(path);
      if (seen.has(place)) continue;
      seen.add(place);
      faults.push({ path: written(path) || whole, message: messageOf(issue, path) });
    }
  }
  return { value: undefined, faults, sound: Object.fromEntries(sound) };
}

function lostNumber(path: Place): z.core.$ZodIssue {
  return {
    code: "custom",
    path,
    message: "must be a number that double precision keeps as it was sent",
    input: undefined,
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function pathsOf(issue: z.core.$ZodIssue): PropertyKey[][] {
  return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

/** A path as integrators read it. A member without a name is named by its quotes. */
function written(path: readonly PropertyKey[]): string {
  return path.map((name) => (name === "" ? '""' : String(name))).join(".");
}

function messageOf(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): string {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const isDotted = String(path.at(-1)).includes(".");
  return isDotted ? "is not known here, as one name with a dot in it" : "is not known here";
}
