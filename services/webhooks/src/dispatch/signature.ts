import { createHmac, timingSafeEqual } from "node:crypto";
import { SECRET_PREFIX } from "../subscriptions/subscription.js";

const TOLERANCE_SECONDS = 300;
const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/**
 * Returns the headers that identify and sign a delivery, as the list that Node writes: the platform's own, and those of Standard Webhooks
 * 1.0 (https://www.standardwebhooks.com), which also cover the ID.
 */
export function signatureHeaders(secret: string, eventId: string, unixSeconds: number, body: Uint8Array): string[] {
  const own = ["Service-Event-Id", eventId, "Service-Signature", sign(secret, unixSeconds, body)];
  const standard = signStandard(secret, eventId, unixSeconds, body);
  return [...own, "webhook-id", eventId, "webhook-timestamp", String(unixSeconds), "webhook-signature", standard];
}

/** Returns the `webhook-signature` of Standard Webhooks. Its key is the bytes that the secret encodes, not the secret's text. */
export function signStandard(secret: string, id: string, unixSeconds: number, body: Uint8Array): string {
  // The decoder also reads base64url without padding, the form of older secrets.
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${unixSeconds}.`).update(body).digest("base64")}`;
}

/** Returns the `Service-Signature` of a body sent at that second. */
export function sign(secret: string, unixSeconds: number, body: Uint8Array): string {
  return `t=${unixSeconds},v1=${digest(secret, String(unixSeconds), body).toString("hex")}`;
}

/** Verifies a signature as receivers do: compares the digests in constant time, and accepts a time within five minutes of its own. */
export function verifySignature(secret: string, header: string, body: Uint8Array, nowSeconds: number): boolean {
  const [, time, hex] = HEADER.exec(header) ?? [];
  if (!time || !hex || Math.abs(nowSeconds - Number(time)) > TOLERANCE_SECONDS) return false;
  return timingSafeEqual(digest(secret, time, body), Buffer.from(hex, "hex"));
}

function digest(secret: string, time: string, body: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(`${time}.`).update(body).digest();
}
