import type { RawBody } from "./raw-body.js";
import { refused } from "./settings.js";
import { bytesOf, checkedSecret, keyOf, signedBytes } from "./webhook-signature.js";

export interface TestHeaderOptions {
  /** The body that your test sends: text or bytes, exactly as they are sent. */
  payload: RawBody;
  /** Any `whsec_…` that your receiver knows. */
  secret: string;
  /** Time of the signature, in seconds. The default is now. */
  timestamp?: number | undefined;
}

/** Returns the header `Service-Signature` that the platform would send with this body, for tests of your receiver. */
export async function testHeader({
  payload,
  secret,
  timestamp = Math.floor(Date.now() / 1000),
}: TestHeaderOptions): Promise<string> {
  const bytes = bytesOf(payload);
  if (!bytes) throw refused("payload must be the text or the bytes that you send, such as JSON.stringify(event).");
  checkedSecret(secret);
  if (!Number.isSafeInteger(timestamp) || timestamp < 0 || timestamp > 999_999_999_999)
    throw refused("timestamp must be a time in whole seconds.");
  const time = String(timestamp);
  const digest = await crypto.subtle.sign("HMAC", await keyOf(secret, "sign"), signedBytes(time, bytes));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `t=${time},v1=${hex}`;
}
