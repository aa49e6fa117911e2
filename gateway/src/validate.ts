import { type FieldError, failFields } from "@shipping/kit/errors";
import type { z } from "zod";
import { noQuery } from "./schemas.js";

/** The query of a request, as its schema gives it; throws the 422 that names every parameter at fault. */
export function validQuery<Query>(schema: z.ZodType<Query>, url: string): Query {
  const query = checkQuery(schema, url);
  if (query.faults.length > 0) throw failFields(query.faults);
  return query.value as Query;
}

/** The body of a write, as its schema gives it; throws the 422 that names every field at fault. No write has a query. */
export function validBody<Body>(schema: z.ZodType<Body> | undefined, body: unknown, url: string): Body {
  const content = schema ? check(schema, body, "body") : { value: undefined, faults: [] };
  const faults = [...checkQuery(noQuery, url).faults, ...content.faults];
  if (faults.length > 0) throw failFields(faults);
  return content.value as Body;
}

/** What a schema makes of a value, or the fields at fault. */
export interface Checked {
  value: unknown;
  faults: FieldError[];
}

function checkQuery(schema: z.ZodType, url: string): Checked {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of pairs(url)) {
    if (parameters.has(name)) repeated.add(name);
    parameters.set(name, value);
  }
  const { value, faults } = check(schema, Object.fromEntries(parameters), "query");
  return { value, faults: [...[...repeated].map((path) => ({ path, message: "must be given once" })), ...faults] };
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

/** Checks a value; what is wrong with it as a whole goes by the name of `whole`. */
export function check(schema: z.ZodType, value: unknown, whole: "body" | "query" | "form"): Checked {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data, faults: [] };
  const faults = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    const path = issue.path.join(".");
    if (issue.code === "unrecognized_keys") {
      // A member without a name is named by its quotes.
      for (const key of issue.keys) faults.set([...issue.path, key || '""'].join("."), "is not known here");
    } else if (!faults.has(path || whole)) faults.set(path || whole, issue.message);
  }
  return { value: undefined, faults: [...faults].map(([path, message]) => ({ path, message })) };
}
