import { errorOf } from "./error-kinds.js";
import type { WebhookEvent } from "./gen/api-types.js";
import type { RawBody } from "./raw-body.js";
import { checkedFunction, refused } from "./settings.js";
import type { ShippingError } from "./shipping-error.js";
import { bytesOf, checkedSecret, keyOf, signedBytes } from "./webhook-signature.js";

export interface VerifyOptions {
  /** How far the time of the signature may be from yours, in either direction. The default is 300. */
  toleranceSeconds?: number | undefined;
  /** The time in milliseconds. */
  now?: (() => number) | undefined;
}

// Strict on purpose: `t` once, digits alone, and nothing that is not understood.
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
  const bytes = bytesOf(body);
  if (!bytes) throw errorOf("parsed_body", PARSED_BODY);
  const secrets: readonly string[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw refused("secret must not be an empty list.");
  secrets.forEach(checkedSecret);
  checkedFunction(now, "now");
  // NaN would let any time pass.
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw refused("toleranceSeconds must be a number of 0 or more.");
  if (signature === undefined || signature === null || signature.length === 0)
    throw invalid("The Service-Signature header is missing.");
  if (typeof signature !== "string" && !Array.isArray(signature))
    throw refused("signature must be the value of the header Service-Signature, not an object of all headers.");
  const [, time, digests] = HEADER.exec(String(signature)) ?? [];
  if (time === undefined || digests === undefined) throw invalid("The Service-Signature header is malformed.");
  const hexes = digests.slice(",v1=".length).split(",v1=");
  const checks = await Promise.all(secrets.map((one) => isSigned(one, time, bytes, hexes)));
  if (!checks.includes(true))
    throw invalid("The signature does not match: the secret is wrong, or the body was changed.");
  const ageSeconds = Math.floor(now() / 1000) - Number(time);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds))
    throw invalid(`Signed ${Math.abs(ageSeconds)} s ${ageSeconds < 0 ? "ahead of" : "behind"} this machine's clock.`);
  return eventIn(bytes);
}

/** Whether one of the digests is right. The runtime compares in constant time. */
async function isSigned(secret: string, time: string, body: Uint8Array, digests: readonly string[]): Promise<boolean> {
  const key = await keyOf(secret, "verify");
  const message = signedBytes(time, body);
  const checks = digests.map((hex) => crypto.subtle.verify("HMAC", key, bytesOfHex(hex), message));
  return (await Promise.all(checks)).includes(true);
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function eventIn(bytes: Uint8Array): WebhookEvent {
  const event = jsonIn(bytes);
  if (typeof event !== "object" || event === null || Array.isArray(event))
    throw errorOf("invalid_event", "The signature is valid, but the body is not a JSON object.");
  return event as WebhookEvent;
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw errorOf("invalid_event", "The signature is valid, but the body is not JSON.", { cause });
  }
}

function invalid(message: string): ShippingError {
  return errorOf("invalid_signature", message);
}
