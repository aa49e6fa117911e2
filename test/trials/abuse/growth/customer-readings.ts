import { textFields } from "@shipping/carrier/label/address-fields";
import { layOut } from "@shipping/carrier/label/layout";
import { transliterated, winAnsi } from "@shipping/carrier/label/letters/standard-font";
import { textWidth } from "@shipping/carrier/label/ruler";
import { fingerprint } from "@shipping/gateway/idempotency/registry";
import { parseJsonBody } from "@shipping/gateway/input/json-body";
import { labelInput, orderInput, webhookInput } from "@shipping/gateway/input/schemas";
import { checkBody, requireValid } from "@shipping/gateway/input/validate";
import { decodeCall, encodeCalls, readElements } from "@shipping/kit/rpc/unary/batch-codec";
import { MAX_BATCH_BYTES, MAX_BATCH_CALLS } from "@shipping/kit/rpc/unary/protocol";
import { brokenTargetRule } from "@shipping/webhooks/egress/target-url";
import type { Reading } from "./measure-growth.js";
import { asSent, fill, numbered, type Reader, readingsOf } from "./shapes.js";

const BODY_BYTES = 64 * 1024;

const listOf = (part: string) => (size: number) => `[${fill(`${part},`)(size)}0]`;
const objectOf = (part: (n: number) => string) => (size: number) => `{${numbered(part)(size)}"z":0}`;

const deep = `${'{"a":['.repeat(15)}${"]}".repeat(15)}`;

/** Inputs in JSON. Every text of these is valid. */
const json: Reader["shapes"] = {
  members: objectOf((n) => `"m${n}":0,`),
  "members in falling order": objectOf((n) => `"m${99_999 - n}":0,`),
  "one member again and again": objectOf(() => '"a":0,'),
  "objects in members": objectOf((n) => `"m${n}":{"a":{}},`),
  "members below `metadata`": (size) => `{"metadata":${objectOf((n) => `"m${n}":"x",`)(size)}}`,
  "members below `to`": (size) => `{"to":${objectOf((n) => `"m${n}":"x",`)(size)}}`,
  "a list below `events`": (size) => `{"events":${listOf('"order.created"')(size)}}`,
  lists: listOf("[]"),
  "deep lists": listOf(deep),
  "small numbers": listOf("0"),
  "numbers with exponents": listOf("1e5"),
  "numbers that no double keeps": listOf("12345678901234567"),
  "one long number": (size) => `[${"1".repeat(size)}]`,
  "one long number of zeros": (size) => `[0.${"0".repeat(size)}1]`,
  "zeros at the end": (size) => `[1${"0".repeat(size)}1]`,
  "one long text": (size) => `{"reference":"${"x".repeat(size)}"}`,
  "a text of white space": (size) => `{"reference":"${" ".repeat(size)}"}`,
  "a text of escapes": (size) => `{"reference":"${"\\u0041".repeat(size / 6)}"}`,
  "a text of quotes": (size) => `{"reference":"${'\\"'.repeat(size / 2)}"}`,
  "a text of backslashes": (size) => `{"reference":"${"\\\\".repeat(size / 2)}"}`,
  "a text of astral characters": (size) => `{"reference":"${"😀".repeat(size / 4)}"}`,
  "a text of marks": (size) => `{"metadata":{"a":"${"\u0301".repeat(size / 2)}"}}`,
  "white space": (size) => `[${" ".repeat(size)}]`,
};

const urls: Reader["shapes"] = {
  labels: (size) => `https://${"a.".repeat(size / 2)}com/`,
  points: (size) => `https://${".".repeat(size)}/`,
  "at signs": (size) => `https://example.com/${"@".repeat(size)}`,
  "one long scheme": (size) => `${"a".repeat(size)}://x`,
  escapes: (size) => `https://example.com/${"%41".repeat(size / 3)}`,
  "numbers for an address": (size) => `https://${"0x".repeat(size / 2)}1/`,
  slashes: (size) => `https://${"/".repeat(size)}`,
  "a long host": (size) => `https://${"a".repeat(size)}.com/`,
};

const texts: Reader["shapes"] = {
  "wide letters": fill("W"),
  "words of one letter": fill("W "),
  spaces: fill(" "),
  marks: fill("e\u0301\u0301\u0301"),
  "foreign letters": fill("漢"),
  "letters without a width": fill("\u200d"),
};

const scripts: Reader["shapes"] = {
  "one long Arabic word": fill("شركة"),
  "Arabic words": fill("شركة "),
  "one long word of Devanagari": fill("क्षेत्रीय"),
  "words of Devanagari": fill("क्षेत्रीय "),
  "Hebrew and digits": fill("א1"),
  "Chinese letters": fill("漢字"),
  "letters of all scripts": fill("aяאسक漢한ა"),
  marks: fill("q\u0301\u0301"),
};

const LABEL_BOX = { width: 200, height: 80, most: 16, least: 6 };

function layOutText(text: string): unknown {
  const line = transliterated(text);
  const fields = Array.from({ length: 6 }, () => ({ text: line, face: "Helvetica" as const, scale: 1 }));
  return [layOut(fields, LABEL_BOX), winAnsi(line), textWidth(line, "Helvetica", 8)];
}

function layOutLetters(text: string): unknown {
  const fields = Array.from({ length: 6 }, () => textFields(text)).flat();
  return layOut(fields, LABEL_BOX);
}

const parsed = (text: string) => parseJsonBody(Buffer.from(text));
const bodies = { most: BODY_BYTES, shapes: json, given: parsed };

const rules = { allowPrivate: false, allowTargets: [] };
const targets = { shapes: urls, given: asSent, read: (text: string) => brokenTargetRule(text, rules) };

const textReadings: readonly Reading[] = [
  ...readingsOf({ ...bodies, reader: "JSON", given: (text) => Buffer.from(text), read: parseJsonBody }),
  ...readingsOf({ ...bodies, reader: "fingerprints", read: ({ value }) => fingerprint("POST", "/orders", value) }),
  ...Object.entries({ orders: orderInput, labels: labelInput, webhooks: webhookInput }).flatMap(([name, schema]) =>
    readingsOf({
      ...bodies,
      reader: `the fields of ${name}`,
      read: (body) => requireValid(checkBody(schema, body, `/${name}`)),
    }),
  ),
  ...readingsOf({ ...targets, reader: "webhook URLs", most: BODY_BYTES }),
  // Shorter than the length that is refused before any other check.
  ...readingsOf({ ...targets, reader: "short webhook URLs", most: 2_000 }),
  ...readingsOf({ reader: "the text of labels", most: 200, shapes: texts, given: asSent, read: layOutText }),
  ...readingsOf({ reader: "the letters of labels", most: 200, shapes: scripts, given: asSent, read: layOutLetters }),
];

/** A batch of calls between parts, in chunks of that size. */
function calls(shape: string, most: number, make: (size: number) => Uint8Array, chunkBytes: number): Reading {
  return {
    reader: "batches of calls",
    shape,
    most,
    prepare(size) {
      const bytes = Buffer.from(make(size));
      return () => {
        const { take } = readElements(decodeCall);
        for (let at = 0; at < bytes.length; at += chunkBytes) take(bytes.subarray(at, at + chunkBytes));
      };
    },
  };
}

const batchOf = (call: object, count = 1) =>
  encodeCalls(Array(count).fill({ path: "", headers: {}, message: Buffer.alloc(0), ...call }));
const callsOf = (count: number, bytes: number) => batchOf({ message: Buffer.alloc(bytes) }, count);
const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, ""]));

const batches = [
  calls("small calls in one chunk", 16 * MAX_BATCH_CALLS, (count) => callsOf(count, 0), 2 ** 30),
  calls("small calls, byte by byte", 4 * MAX_BATCH_CALLS, (count) => callsOf(count, 8), 1),
  calls("one large call in small chunks", 512 * 1024, (bytes) => callsOf(1, bytes), 64),
  calls("one long path", 512 * 1024, (bytes) => batchOf({ path: "a".repeat(bytes) }), 64),
  calls("many headers", 16 * 1024, (count) => batchOf({ headers: headers(count) }), 64),
  calls("unknown fields", MAX_BATCH_BYTES, (bytes) => Buffer.alloc(bytes & ~1, Buffer.of(0x7a, 0)), 64),
];

/** Readings of inputs that need a key, or access to the platform's network. */
export const customerReadings = [...textReadings, ...batches];
