import type { z } from "zod";
import { findSimilar } from "./similar-names.js";

// If there are more unknown fields than this, they are not typing errors, and comparing them would cost more than the rest of the check.
const MAX_COMPARED = 10;

/** An object of a request, and the schema of the request. */
export interface Place {
  schema: z.ZodType;
  value: unknown;
  /** The path of the object in the request. */
  path: readonly PropertyKey[];
}

export interface Advice {
  message: string;
  /** True if the field contains the fields that are missing, so that it explains their faults. */
  isWrapper: boolean;
}

/** Says what to do about each unknown field of an object, or parameter of a query. */
export function adviseOnUnknown(names: readonly string[], place: Place, kind: "field" | "parameter") {
  const { sent, absent } = names.length > MAX_COMPARED ? { sent: {}, absent: [] } : describe(place);
  const parent = formatPath(place.path);
  return (name: string): Advice => {
    const wrapped = findWrapped(sent[name], absent);
    const meant = findSimilar(name, absent);
    let advice = "remove it";
    if (wrapped.length > 0) advice = `move ${wrapped.join(", ")} to ${parent || "the top level"}`;
    else if (name.includes(".")) advice = "send objects in objects instead of a name with a dot";
    else if (meant) advice = `did you mean ${formatPath([...place.path, meant])}?`;
    return { message: `is not a known ${kind}: ${advice}`, isWrapper: wrapped.length > 0 };
  };
}

/** The object at a place, and the fields that it could have but does not. */
function describe({ schema, value, path }: Place): { sent: Record<PropertyKey, unknown>; absent: string[] } {
  let rules: unknown = schema;
  let sent = value as Record<PropertyKey, unknown>;
  for (const name of path) {
    rules = (rules as z.ZodObject).shape[name as string];
    sent = sent[name] as Record<PropertyKey, unknown>;
  }
  return { sent, absent: Object.keys((rules as z.ZodObject).shape).filter((name) => !Object.hasOwn(sent, name)) };
}

/** Returns which of the fields are inside a value: clients of other APIs send `{"order":{…}}`, and those of JSON:API `{"data":{"attributes":{…}}}`. */
function findWrapped(value: unknown, fields: readonly string[], levels = 2): string[] {
  const content = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof content !== "object" || content === null) return [];
  const found = fields.filter((field) => Object.hasOwn(content, field));
  if (found.length > 0 || levels === 1) return found;
  return findWrapped((content as Record<string, unknown>).attributes, fields, levels - 1);
}

/** A path as it is shown to integrators. The empty name is shown as two quotes. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.map((name) => (name === "" ? '""' : String(name))).join(".");
}
