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

interface Checked {
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
  if (start < 0) return [];
  const parts = url.slice(start + 1).split("&");
  return parts.filter(Boolean).map((part) => {
    const [name = "", ...value] = part.split("=");
    return [decode(name), decode(value.join("="))];
  });
}

// URLSearchParams would put U+FFFD where the encoding is broken.
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw failFields([{ path: "query", message: "must be percent-encoded UTF-8" }]);
  }
}

function check(schema: z.ZodType, value: unknown, whole: "body" | "query"): Checked {
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
