import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;
const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;

/** The `Service-Signature` of a body sent at that second. */
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
