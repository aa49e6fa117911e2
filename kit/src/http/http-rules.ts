import type { IncomingMessage } from "node:http";
import { Failure, fail } from "../errors.js";

/**
 * The most headers of a request, which is far more than clients send. Node's limit of 16 KiB does not count colons and line ends, so it allows
 * thousands of empty headers.
 */
const MAX_HEADERS = 1_000;

const VERSIONS = new Set(["1.0", "1.1"]);

// RFC 9110, 7.2: a name, which may be empty, or an IPv6 address in brackets; optionally a port.
const HOST = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

/** A bad request with a more specific status than 400. */
export class HttpRefusal extends Failure {
  constructor(
    private readonly ownStatus: 405 | 412 | 416 | 431,
    message: string,
  ) {
    super("bad_request", message);
  }

  override get status(): number {
    return this.ownStatus;
  }
}

export function headersTooLarge(): Failure {
  return new HttpRefusal(431, "The request headers are too large. Send at most 16 KiB.");
}

/** Finds a fault in a request that Node's parser has accepted: a violation of RFC 9112, or too many headers. */
export function httpFault(request: IncomingMessage): Failure | undefined {
  if (request.rawHeaders.length > 2 * MAX_HEADERS) return headersTooLarge();
  if (!VERSIONS.has(request.httpVersion)) return fail("bad_request", "The protocol must be HTTP/1.1 or HTTP/1.0.");
  // The parser of Node 20.19 accepts these, later ones do not.
  if (request.rawHeaders.some((text, index) => index % 2 === 0 && (text === "" || text.includes(" "))))
    return fail("bad_request", "A header name contains a character that HTTP does not allow. Remove it.");
  const hosts = request.headersDistinct.host ?? [];
  const isMissing = hosts.length === 0 && request.httpVersion === "1.1";
  if (isMissing || hosts.length > 1) return fail("bad_request", "Send exactly one Host header.");
  if (!hosts.every((host) => HOST.test(host))) return fail("bad_request", "The Host header is not a valid host.");
  return undefined;
}

const MAX_SHOWN = 100;

const EMPTY = /^[ \t]*$/;
// The registered name has the hyphen, but clients write it without.
const CHARSET = /^[ \t]*(?:charset=(?:utf-?8|"utf-?8")[ \t]*)?$/i;

/** Whether the headers announce a body of this type exactly once, in UTF-8 and not compressed. Parameters may be empty (RFC 9110, 5.6.6). */
export function isPlain(request: Pick<IncomingMessage, "headersDistinct">, type: string): boolean {
  return findTypeFault(request, type) === undefined;
}

/** Refuses a request of which `isPlain` is false: names what was sent, then what to send. */
export function unsupportedType(
  request: Pick<IncomingMessage, "headersDistinct">,
  type: string,
  advice = fail("unsupported_media_type").message,
): Failure {
  return fail("unsupported_media_type", `${findTypeFault(request, type) ?? ""} ${advice}`.trim());
}

function findTypeFault({ headersDistinct: sent }: Pick<IncomingMessage, "headersDistinct">, type: string) {
  const [contentType, ...others] = sent["content-type"] ?? [];
  if (contentType === undefined) return "The Content-Type header is missing.";
  if (others.length > 0) return `There are ${others.length + 1} Content-Type headers.`;
  if (!isOfType(contentType, type)) return `The Content-Type is ${toShown(contentType)}.`;
  const { "content-encoding": encoding, "transfer-encoding": transfer } = sent;
  if (!isOnly(encoding, "identity")) return `The Content-Encoding is ${toShown(encoding?.join() ?? "")}.`;
  if (!isOnly(transfer, "chunked")) return `The Transfer-Encoding is ${toShown(transfer?.join() ?? "")}.`;
  return undefined;
}

/** A header's value as a message repeats it. */
function toShown(value: string): string {
  return value === "" ? "empty" : value.slice(0, MAX_SHOWN).replace(/[^ -~]/g, "?");
}

function isOfType(contentType: string, type: string): boolean {
  // Splitting at every semicolon is correct, because no parameter of our types contains one.
  const [name = "", ...parameters] = contentType.split(";");
  const given = parameters.filter((parameter) => !EMPTY.test(parameter));
  const isNamed = name.slice(0, type.length).toLowerCase() === type && EMPTY.test(name.slice(type.length));
  return isNamed && given.length <= 1 && given.every((one) => CHARSET.test(one));
}

function isOnly(values: readonly string[] | undefined, value: string): boolean {
  return !values || values.join().toLowerCase() === value;
}
