import type { RawBody } from "./raw-body.js";
import { refused } from "./settings.js";

/** The bytes of a body; undefined if it is neither text nor bytes. */
export function bytesOf(body: RawBody): Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === "string") return new TextEncoder().encode(body);
  // The copy leaves a pooled Buffer's neighbours out.
  if (ArrayBuffer.isView(body)) return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  // By its tag: `instanceof` does not know those of another realm.
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body);
  return undefined;
}

/** Refuses what is not a secret: with an empty one, anybody could sign. */
export function checkedSecret(secret: string): void {
  if (typeof secret !== "string" || !/^whsec_./.test(secret))
    throw refused("secret must be the complete whsec_… string.");
}

/** What a signature is made with, or checked with. */
export function keyOf(secret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [usage]);
}

/** What is signed: the time, a dot, the body. */
export function signedBytes(time: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(`${time}.`);
  const message = new Uint8Array(prefix.length + body.length);
  message.set(prefix);
  message.set(body, prefix.length);
  return message;
}
