import { checkedFunction, invalidArgument } from "./config.js";
import { newError } from "./error-kinds.js";
import type { WebhookEvent } from "./gen/api-types.js";
import { type BodyStream, checkBody, isRaw, type NodeStream, type RawBody, readBody, toBytes } from "./raw-body.js";
import type { ShippingError } from "./shipping-error.js";

export interface VerifyOptions {
  /** How far the time of the signature may be from yours, in either direction. The default is 300. */
  toleranceSeconds?: number | undefined;
  /** A longer body is refused before it is read to its end or hashed. The default is 262,144; deliveries are smaller than 65,536. */
  maxBytes?: number | undefined;
  /** The time in milliseconds. */
  now?: (() => number) | undefined;
}

// The format is strict on purpose: `t` once, only digits, at most ten signatures, no unknown entries.
const HEADER = /^t=([0-9]{1,12})((?:,v1=[0-9a-f]{64}){1,10})$/;

const NO_MATCH = "The signature does not match: the secret is wrong, or the body was changed.";
const EMPTY_BODY =
  "The body is empty, so the signature does not match. A body parser or a middleware has probably read it before: verify first, or pass the bytes that it keeps.";

/**
 * Checks that a delivery is recent and comes from the platform, and returns its event. `body` can be the stream of a request, or in Node the
 * request itself: of an old or a long one, it is not read. `signature` is the header `Service-Signature`, `secret` the complete `whsec_…`, or several of them while you change from
 * one to the next. Otherwise it throws a ShippingError with the code `invalid_signature`.
 */
export async function verify(
  body: RawBody | BodyStream | NodeStream,
  signature: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const { toleranceSeconds = 300, maxBytes = 262_144, now = Date.now } = options;
  checkBody(body);
  const secrets: readonly string[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw invalidArgument("secret must not be an empty list.");
  secrets.forEach(checkedSecret);
  checkedFunction(now, "now");
  // NaN would accept any time and any length.
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw invalidArgument("toleranceSeconds must be a number of 0 or more.");
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) throw invalidArgument("maxBytes must be an integer above 0.");
  if (signature === undefined || signature === null || signature.length === 0)
    throw invalidSignature("The Service-Signature header is missing.");
  if (typeof signature !== "string" && !Array.isArray(signature))
    throw invalidArgument("signature must be the value of the header Service-Signature, not an object of all headers.");
  const [, time, digests] = HEADER.exec(String(signature)) ?? [];
  if (time === undefined || digests === undefined) throw invalidSignature("The Service-Signature header is malformed.");
  const ageSeconds = Math.floor(now() / 1000) - Number(time);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds))
    throw invalidSignature(
      `Signed ${Math.abs(ageSeconds)} s ${ageSeconds < 0 ? "ahead of" : "behind"} this machine's clock.`,
    );
  const bytes = await readBody(body, maxBytes);
  if (!bytes) throw invalidSignature(`The body is longer than ${maxBytes} bytes.`);
  const candidates = digests.slice(",v1=".length).split(",v1=");
  let isSigned = false;
  for (const one of secrets) {
    const expected = await digestOf(one, time, bytes);
    for (const candidate of candidates) isSigned = isEqual(expected, candidate) || isSigned;
  }
  if (!isSigned) throw invalidSignature(bytes.length === 0 ? EMPTY_BODY : NO_MATCH);
  return parseEvent(bytes);
}

/** Compares texts of equal length in constant time, because not every runtime has a function for it. */
function isEqual(one: string, other: string): boolean {
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  const event = parseJson(bytes);
  if (typeof event !== "object" || event === null || Array.isArray(event))
    throw newError("invalid_event", "The signature is valid, but the body is not a JSON object.");
  return event as WebhookEvent;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw newError("invalid_event", "The signature is valid, but the body is not JSON.", { cause });
  }
}

function invalidSignature(message: string): ShippingError {
  return newError("invalid_signature", message);
}

export interface TestHeaderOptions {
  /** The body that your test sends: text or bytes, exactly as they are sent. */
  payload: RawBody;
  /** Any `whsec_…` that your receiver knows. */
  secret: string;
  /** Time of the signature, in seconds. The default is now. */
  timestamp?: number | undefined;
}

/** Returns the header `Service-Signature` that the platform would send with this body, for tests of your receiver. */
export async function testHeader(options: TestHeaderOptions): Promise<string> {
  const { payload, secret, timestamp = Math.floor(Date.now() / 1000) } = options;
  const bytes = isRaw(payload) ? toBytes(payload, Number.POSITIVE_INFINITY) : undefined;
  if (!bytes)
    throw invalidArgument("payload must be the text or the bytes that you send, such as JSON.stringify(event).");
  checkedSecret(secret);
  if (!Number.isSafeInteger(timestamp) || timestamp < 0 || timestamp > 999_999_999_999)
    throw invalidArgument("timestamp must be a time in whole seconds.");
  const time = String(timestamp);
  return `t=${time},v1=${await digestOf(secret, time, bytes)}`;
}

// Environment files and secret stores add these: white space, invisible characters, quotes, separators, and the backslash of a line break.
const NOT_IN_SECRETS = /[\s\u200b-\u200f\u2060"'`\\,;]|.whsec_/;

/** Refuses an empty secret, because anyone could sign with it, and one with which no signature matches. */
function checkedSecret(secret: string): void {
  if (typeof secret === "string" && secret.includes("whsec_") && NOT_IN_SECRETS.test(secret))
    throw invalidArgument(
      "secret has something beside the whsec_… string, such as quotes, a space or a line break. Pass the whsec_… string alone.",
    );
  if (typeof secret !== "string" || !/^whsec_./.test(secret))
    throw invalidArgument("secret must be the complete whsec_… string.");
}

/** The HMAC-SHA256 over time and body, in hex. */
async function digestOf(secret: string, time: string, body: Uint8Array): Promise<string> {
  const text = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", text.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const prefix = text.encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const digest = await crypto.subtle.sign("HMAC", key, signed);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
