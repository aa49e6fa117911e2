import { checkedFunction, invalidArgument } from "./config.js";
import { newError } from "./error-kinds.js";
import type { WebhookEvent } from "./gen/api-types.js";
import type { ShippingError } from "./shipping-error.js";

/** The body of a delivery as it arrived. */
export type RawBody = string | Uint8Array | ArrayBuffer;

export interface VerifyOptions {
  /** How far the time of the signature may be from yours, in either direction. The default is 300. */
  toleranceSeconds?: number | undefined;
  /** The time in milliseconds. */
  now?: (() => number) | undefined;
}

// Strict on purpose: `t` once, only digits, nothing unknown.
const HEADER = /^t=([0-9]{1,12})((?:,v1=[0-9a-f]{64})+)$/;

const PARSED_BODY = `The body was parsed before it was verified, so its original bytes are gone. Read the raw body instead.
Express: express.raw({ type: "application/json" }) on this route, then req.body.
Fastify: addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => done(null, body)).
Next.js and Workers: await request.arrayBuffer() in the handler.`;

/**
 * Checks that a delivery is recent and comes from the platform, and returns its event. `signature` is the header `Service-Signature`, `secret` the
 * complete `whsec_…`, or several of them while you change from one to the next. Otherwise it throws a ShippingError with the code
 * `invalid_signature`.
 */
export async function verify(
  body: RawBody,
  signature: string | readonly string[] | null | undefined,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const { toleranceSeconds = 300, now = Date.now } = options;
  const bytes = toBytes(body);
  if (!bytes) throw newError("parsed_body", PARSED_BODY);
  const secrets: readonly string[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw invalidArgument("secret must not be an empty list.");
  secrets.forEach(checkedSecret);
  checkedFunction(now, "now");
  // NaN would accept any time.
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw invalidArgument("toleranceSeconds must be a number of 0 or more.");
  if (signature === undefined || signature === null || signature.length === 0)
    throw invalidSignature("The Service-Signature header is missing.");
  if (typeof signature !== "string" && !Array.isArray(signature))
    throw invalidArgument("signature must be the value of the header Service-Signature, not an object of all headers.");
  const [, time, digests] = HEADER.exec(String(signature)) ?? [];
  if (time === undefined || digests === undefined) throw invalidSignature("The Service-Signature header is malformed.");
  const hexes = digests.slice(",v1=".length).split(",v1=");
  const checks = await Promise.all(secrets.map((one) => isSigned(one, time, bytes, hexes)));
  if (!checks.includes(true))
    throw invalidSignature("The signature does not match: the secret is wrong, or the body was changed.");
  const ageSeconds = Math.floor(now() / 1000) - Number(time);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds))
    throw invalidSignature(
      `Signed ${Math.abs(ageSeconds)} s ${ageSeconds < 0 ? "ahead of" : "behind"} this machine's clock.`,
    );
  return parseEvent(bytes);
}

/** Whether one of the digests matches. `crypto.subtle` compares in constant time. */
async function isSigned(secret: string, time: string, body: Uint8Array, digests: readonly string[]): Promise<boolean> {
  const key = await importKey(secret, "verify");
  const message = signedBytes(time, body);
  const checks = digests.map((hex) => crypto.subtle.verify("HMAC", key, hexToBytes(hex), message));
  return (await Promise.all(checks)).includes(true);
}

function hexToBytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
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
  const bytes = toBytes(payload);
  if (!bytes)
    throw invalidArgument("payload must be the text or the bytes that you send, such as JSON.stringify(event).");
  checkedSecret(secret);
  if (!Number.isSafeInteger(timestamp) || timestamp < 0 || timestamp > 999_999_999_999)
    throw invalidArgument("timestamp must be a time in whole seconds.");
  const time = String(timestamp);
  const digest = await crypto.subtle.sign("HMAC", await importKey(secret, "sign"), signedBytes(time, bytes));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `t=${time},v1=${hex}`;
}

/** The bytes of a body; undefined if it is neither text nor bytes. */
function toBytes(body: RawBody): Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === "string") return new TextEncoder().encode(body);
  // A Buffer can be a view into a larger pool, so copy its own bytes.
  if (ArrayBuffer.isView(body)) return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  // `instanceof` does not recognize an ArrayBuffer of another realm.
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body);
  return undefined;
}

/** With an empty secret, anybody could sign. */
function checkedSecret(secret: string): void {
  if (typeof secret !== "string" || !/^whsec_./.test(secret))
    throw invalidArgument("secret must be the complete whsec_… string.");
}

function importKey(secret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [usage]);
}

function signedBytes(time: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(`${time}.`);
  const message = new Uint8Array(prefix.length + body.length);
  message.set(prefix);
  message.set(body, prefix.length);
  return message;
}
