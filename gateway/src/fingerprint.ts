import { createHash } from "node:crypto";

/** What makes two requests equal: method, path and the JSON content, whatever the order of members. A request without a body has none. */
export function fingerprint(method: string, path: string, body: unknown): Buffer {
  const content = body === undefined ? "" : canonical(body);
  return createHash("sha256").update(`${method} ${path}\n${content}`).digest();
}

/** JSON text with the members of every object sorted. Only for values that came from JSON and are not deep. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === "object" && value !== null) {
    // Object.entries reads own members only, one named `__proto__` too.
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
  }
  // JSON.stringify writes Infinity, which 1e400 parses to, as null.
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
