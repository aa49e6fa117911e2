import { refused } from "./settings.js";

/** What the client sets itself, and the connection's own headers, which would make another request of it. */
const RESERVED: ReadonlySet<string> = new Set([
  ...["authorization", "idempotency-key", "content-type", "accept", "user-agent"],
  ...["host", "content-length", "connection", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer", "expect"],
]);

/** Checks the headers of one call; yields them by their lower-case names. Values may be secret: no error repeats them. */
export function headersOf(given: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
  if (typeof given !== "object" || given === null || Symbol.iterator in given)
    throw refused("headers must be an object that maps names to values.");
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower))
      throw refused(`headers: ${JSON.stringify(name)} is not a header name.`);
    if (RESERVED.has(lower)) throw refused(`headers cannot set ${lower}${insteadOf(lower)}.`);
    if (Object.hasOwn(headers, lower)) throw refused(`headers contains ${lower} twice.`);
    // `fetch` trims a value, and throws at what is not Latin-1, which looks like a lost connection.
    if (typeof value !== "string" || !/^[!-~]([ -~]*[!-~])?$/.test(value))
      throw refused(`headers: ${lower} must be printable ASCII, with no space at the start or end.`);
    headers[lower] = value;
  }
  return headers;
}

function insteadOf(name: string): string {
  if (name === "idempotency-key") return ": use the option idempotencyKey";
  if (name === "authorization") return ": use the client's option apiKey";
  return ": the client sets it";
}
