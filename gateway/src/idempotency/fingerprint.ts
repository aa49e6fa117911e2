import { hash } from "node:crypto";

/**
 * Two requests with the same fingerprint are equal: method, path and JSON content, in any order of members. A request without a body has no
 * content.
 */
export function fingerprint(method: string, path: string, body: unknown): Buffer {
  const content = body === undefined ? "" : canonical(body);
  return hash("sha256", `${method} ${path}\n${content}`, "buffer");
}

/**
 * JSON text with the members of every object sorted. Only for values that came from JSON and are not deep. Written in one string: lists of
 * the parts of a large body are what makes the garbage collector work longest.
 */
function canonical(value: unknown): string {
  // JSON.stringify writes Infinity, which 1e400 parses to, as null.
  if (typeof value !== "object" || value === null)
    return typeof value === "number" ? `${value}` : JSON.stringify(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const element of value) text += `${text && ","}${canonical(element)}`;
    return `[${text}]`;
  }
  // Object.keys names own members only, one called `__proto__` too.
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(value).sort())
    text += `${text && ","}${JSON.stringify(name)}:${canonical(members[name])}`;
  return `{${text}}`;
}
