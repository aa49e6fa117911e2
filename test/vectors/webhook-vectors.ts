import { createHash, createHmac } from "node:crypto";
import { sign } from "@shipping/webhooks/dispatch/signature";
import { newSecret } from "@shipping/webhooks/subscriptions/subscription";

/** A delivery and whether its signature is valid, for the tests of a receiver in any language. */
export interface Vector {
  name: string;
  secret: string;
  /** The value of `Content-Type`, the same for all: for tests that send the body to a framework. */
  content_type: string;
  /** The value of `Service-Signature`. */
  header: string;
  /** The raw bytes in base64. */
  body: string;
  /** The receiver's clock in Unix seconds. */
  now: number;
  valid: boolean;
}

const TIME = 1_790_000_000;
const TOLERANCE = 300;
const MAX_BODY_BYTES = 65_536;
const SECRET = secretOf("delta");
const OTHER_SECRET = secretOf("beta");
const EVENT =
  '{"id":"evt_kq3v7zj2m5xw4a6bnd2tc7yhre","type":"order.created","livemode":false,' +
  '"created_at":"2026-09-21T13:33:20.000Z","data":{"id":"ord_a2b3c4d5e6f7g2h3i4j5k6l7mn","object":"order","status":"received"}}';
const DIGEST = sign(SECRET, TIME, Buffer.from(EVENT)).slice(-64);

/** The content of `docs/webhook-vectors.json`. */
export function vectorsText(): string {
  return `${JSON.stringify(webhookVectors(), null, 2)}\n`;
}

/** All vectors, always the same. Their validity is written here, not computed by the code that verifies. */
export function webhookVectors(): Vector[] {
  return [...bodies(), ...times(), ...tampered(), ...wrongKeys(), ...wrongContents(), ...malformedHeaders()];
}

function bodies(): Vector[] {
  const texts: Record<string, string | Uint8Array> = {
    "an event": EVENT,
    "an empty body": "",
    "numbers that a parser would write otherwise": '{"a":1e21,"b":1e+21,"c":0.1,"d":1.0,"e":-0,"f":5e-324,"g":1E2}',
    "integers beyond 2^53": '{"a":9007199254740993,"b":100000000000000000000}',
    "escapes that a parser would resolve": '{"a":"\\u00e9\\/\\"\\\\\\n\\t","b":"\\u2028\\u003c"}',
    "letters beyond ASCII, not escaped": '{"name":"Księgarnia Pod Lipą","city":"Kraków","note":"\u2028"}',
    "astral characters": '{"note":"🚚 📦 𝒳 👩‍👩‍👧"}',
    "astral characters as escaped surrogates": '{"note":"\\ud83d\\ude9a"}',
    "a composed and a decomposed accent": '{"a":"\u00e9","b":"e\u0301"}',
    "white space and the order of members": '{ "b" : 1,\r\n\t"a" : 2 }',
    "a member named twice, and one named __proto__": '{"a":1,"a":2,"__proto__":{"b":3}}',
    "a line break at the end": `${EVENT}\n`,
    "a byte order mark": `\ufeff${EVENT}`,
    "bytes that are no UTF-8": Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x80, 0x7d]),
    "a body of 64 KiB": `{"note":"${"0123456789abcdef".repeat(4096)}`.slice(0, MAX_BODY_BYTES - 2).concat('"}'),
  };
  return Object.entries(texts).map(([name, text]) => vector(name, { body: text, valid: true }));
}

function times(): Vector[] {
  return [
    vector("300 s old", { now: TIME + TOLERANCE, valid: true }),
    vector("301 s old", { now: TIME + TOLERANCE + 1 }),
    vector("300 s ahead", { now: TIME - TOLERANCE, valid: true }),
    vector("301 s ahead", { now: TIME - TOLERANCE - 1 }),
    vector("a day old", { now: TIME + 86_400 }),
    vector("a year ahead", { now: TIME - 31_536_000 }),
    vector("a time of 1970", { header: sign(SECRET, 0, Buffer.from(EVENT)) }),
    vector("a time of twelve digits", { header: sign(SECRET, 999_999_999_999, Buffer.from(EVENT)) }),
    vector("milliseconds for seconds", { header: sign(SECRET, TIME * 1000, Buffer.from(EVENT)) }),
  ];
}

function tampered(): Vector[] {
  const header = `t=${TIME},v1=${DIGEST}`;
  const changed: Record<string, string> = {
    "one letter changed": EVENT.replace("received", "receivee"),
    "one byte cut off": EVENT.slice(0, -1),
    "a line break added": `${EVENT}\n`,
    "the same JSON, indented": JSON.stringify(JSON.parse(EVENT), null, 2),
    "no body": "",
    "another event": EVENT.replace("evt_k", "evt_l"),
  };
  return [
    ...Object.entries(changed).map(([name, body]) => vector(`tampered: ${name}`, { header, body })),
    vector("tampered: a number written otherwise", {
      header: sign(SECRET, TIME, Buffer.from('{"a":1.0}')),
      body: '{"a":1}',
    }),
    vector("tampered: a fresh time on an old signature", {
      header: `t=${TIME + 1000},v1=${DIGEST}`,
      now: TIME + 1000,
    }),
    vector("tampered: the last digit of the digest", { header: header.replace(/.$/, (digit) => other(digit)) }),
    vector("tampered: the first digit of the digest", {
      header: `t=${TIME},v1=${other(DIGEST.charAt(0))}${DIGEST.slice(1)}`,
    }),
  ];
}

function wrongKeys(): Vector[] {
  const bare = SECRET.slice("whsec_".length);
  const keys: Record<string, string | Uint8Array> = {
    "another subscription's secret": OTHER_SECRET,
    "the secret without whsec_": bare,
    "the secret's decoded bytes": Buffer.from(bare, "base64url"),
    "the secret in lower case": SECRET.toLowerCase(),
    "the secret with a line break": `${SECRET}\n`,
    "an empty key": "",
  };
  return Object.entries(keys).map(([name, key]) =>
    vector(`signed with ${name}`, { header: `t=${TIME},v1=${hmac(key, `${TIME}.${EVENT}`)}` }),
  );
}

function wrongContents(): Vector[] {
  const contents: Record<string, string> = {
    "the body alone": EVENT,
    "time and body without the period": `${TIME}${EVENT}`,
    "event id, time and body": `evt_kq3v7zj2m5xw4a6bnd2tc7yhre.${TIME}.${EVENT}`,
    "time and body with a line break at the end": `${TIME}.${EVENT}\n`,
  };
  return [
    ...Object.entries(contents).map(([name, content]) =>
      vector(`signed: ${name}`, { header: `t=${TIME},v1=${hmac(SECRET, content)}` }),
    ),
    vector("signed: with SHA-512, cut to 64 digits", {
      header: `t=${TIME},v1=${hmac(SECRET, `${TIME}.${EVENT}`, "sha512").slice(0, 64)}`,
    }),
  ];
}

function malformedHeaders(): Vector[] {
  const [t, v1] = [`t=${TIME}`, `v1=${DIGEST}`];
  const headers: Record<string, string> = {
    "nothing in it": "",
    "a comma": ",",
    "no time": v1,
    "no digest": t,
    "an empty time": `t=,${v1}`,
    "an empty digest": `${t},v1=`,
    "the parts in the other order": `${v1},${t}`,
    "a space after the comma": `${t}, ${v1}`,
    "a space before": ` ${t},${v1}`,
    "a space after": `${t},${v1} `,
    "a line break after": `${t},${v1}\n`,
    "a line before": `x\n${t},${v1}`,
    "a semicolon between the parts": `${t};${v1}`,
    "a part too many": `${t},${v1},v0=${DIGEST}`,
    "two times": `${t},${t},${v1}`,
    "two headers joined": `${t},${v1}, ${t},${v1}`,
    "another version": `${t},v2=${DIGEST}`,
    "names in upper case": `T=${TIME},V1=${DIGEST}`,
    "upper-case hex": `${t},v1=${DIGEST.toUpperCase()}`,
    "base64 for hex": `${t},v1=${Buffer.from(DIGEST, "hex").toString("base64")}`,
    "63 digits": `${t},v1=${DIGEST.slice(1)}`,
    "65 digits": `${t},v1=${DIGEST}0`,
    "64 letters that are no hex": `${t},v1=${"z".repeat(64)}`,
    "a time with a sign": `t=+${TIME},${v1}`,
    "a negative time": `t=-${TIME},${v1}`,
    "a time with a fraction": `t=${TIME}.0,${v1}`,
    "a time as a power of ten": `t=1.79e9,${v1}`,
    "a time of 40 digits": `t=${"9".repeat(40)},${v1}`,
    "a time in Arabic digits": `t=${String(TIME).replace(/\d/g, (digit) => "٠١٢٣٤٥٦٧٨٩".charAt(Number(digit)))},${v1}`,
    "a time that is no number": `t=NaN,${v1}`,
    "a digest alone": DIGEST,
  };
  return Object.entries(headers).map(([name, header]) => vector(`malformed header: ${name}`, { header }));
}

/** A vector that is valid in all parts that are not given, and marked as invalid unless told otherwise. */
function vector(
  name: string,
  given: { header?: string; body?: string | Uint8Array; now?: number; valid?: boolean },
): Vector {
  const body = Buffer.from((given.body ?? EVENT) as string);
  return {
    name,
    secret: SECRET,
    content_type: "application/json; charset=utf-8",
    header: given.header ?? sign(SECRET, TIME, body),
    body: body.toString("base64"),
    now: given.now ?? TIME,
    valid: given.valid ?? false,
  };
}

function secretOf(seed: string): string {
  return newSecret(() => createHash("sha256").update(`webhook vectors ${seed}`).digest());
}

function hmac(key: string | Uint8Array, content: string, hash = "sha256"): string {
  return createHmac(hash, key).update(content).digest("hex");
}

function other(digit: string): string {
  return digit === "0" ? "1" : "0";
}
