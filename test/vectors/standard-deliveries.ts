import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { newSecret } from "@shipping/webhooks/subscriptions/subscription";
import { sendingUnderTest } from "@shipping/webhooks/testing/sending";

/** A delivery as a receiver gets it, and whether a verifier must accept it with this secret. */
export interface StandardDelivery {
  name: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  valid: boolean;
}

const MINUTES = 60_000;
const EVENT =
  '{"id":"evt_kq3v7zj2m5xw4a6bnd2tc7yhre","type":"order.created","livemode":false,' +
  '"created_at":"2026-09-21T13:33:20.000Z","data":{"id":"ord_a2b3c4d5e6f7g2h3i4j5k6l7mn","object":"order","status":"received","reference":"Księgarnia 🚚 1.0"}}';

/** Makes the dispatcher deliver events to a receiver, some long ago, and changes some of them afterwards. */
export async function standardDeliveries(): Promise<StandardDelivery[]> {
  const { receiverWith, post, end } = sendingUnderTest();
  const secret = secretWithSigns();
  const older = toOlder(secretWithSigns());
  try {
    const receiver = await receiverWith();
    const deliver = async (by: string, minutesAgo = 0, body = EVENT) => {
      const at = new Date(Date.now() - minutesAgo * MINUTES);
      await post(receiver.url, undefined, { secret: by, eventId: JSON.parse(EVENT).id, body: Buffer.from(body), at });
      const { headers, body: arrived } = receiver.received.at(-1)!;
      return { secret: by, headers: textsIn(headers), body: arrived.toString() };
    };
    const one = await deliver(secret);
    const withHeader = (name: string, value: string) => ({ ...one, headers: { ...one.headers, [name]: value } });
    const known: [string, boolean, Omit<StandardDelivery, "name" | "valid">][] = [
      ["a delivery", true, one],
      ["a delivery of 64 KiB", true, await deliver(secret, 0, `{"note":"${"é".repeat(32_762)}"}`)],
      ["a delivery four minutes ago", true, await deliver(secret, 4)],
      ["an older secret in its new spelling", true, { ...(await deliver(older)), secret: toStandard(older) }],
      ["a changed body", false, { ...one, body: one.body.replace("received", "receivee") }],
      ["the same JSON, written again", false, { ...one, body: JSON.stringify(JSON.parse(one.body), null, 1) }],
      ["another ID", false, withHeader("webhook-id", "evt_kq3v7zj2m5xw4a6bnd2tc7yhrf")],
      ["another time", false, withHeader("webhook-timestamp", String(Math.floor(Date.now() / 1000) + 7))],
      ["no signature", false, withHeader("webhook-signature", "")],
      ["six minutes ago", false, await deliver(secret, 6)],
      ["six minutes ahead", false, await deliver(secret, -6)],
      ["another secret", false, { ...one, secret: secretWithSigns() }],
    ];
    return known.map(([name, valid, delivery]) => ({ name, valid, ...delivery }));
  } finally {
    await end();
  }
}

/** The code in `docs/webhook-signatures.md` for a language: the lines that import the library, and those that verify `body` and `request.headers`. */
export function libraryLines(language: string): { imports: string; verifies: string } {
  const page = readFileSync(join(import.meta.dirname, "../../docs/webhook-signatures.md"), "utf8");
  const [, code = ""] = new RegExp(`^\`\`\`${language} library tab\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page) ?? [];
  const [imports = "", verifies = ""] = code.split("\n\n");
  return { imports, verifies };
}

/** A secret with the characters in which base64 differs from base64url. */
function secretWithSigns(): string {
  return newSecret((length) => Buffer.concat([Buffer.from([0xfb, 0xef, 0xff]), randomBytes(length - 3)]));
}

/** A secret in the form of earlier releases. */
export function toOlder(secret: string): string {
  return secret.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
}

/** The encoding that libraries can decode, as `docs/webhook-signatures.md` says. */
export function toStandard(older: string): string {
  const [prefix, text = ""] = older.split(/(?<=^whsec_)/);
  return `${prefix}${text.replaceAll("-", "+").replaceAll("_", "/")}=`;
}

function textsIn(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
