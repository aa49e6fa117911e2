import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { findJsonFault, parseJsonBody } from "@shipping/api/input/json-body";
import { findLostNumbers } from "@shipping/api/input/lost-numbers";
import { orderId, pageQuery } from "@shipping/api/input/schemas";
import { urlForm } from "@shipping/api/input/text";
import { Failure, MAX_FIELDS } from "@shipping/kit/errors";
import { isPlain } from "@shipping/kit/http/http-rules";
import { base32 } from "@shipping/kit/ids";
import { AnswerSchema, CallSchema } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { sign, verifySignature } from "@shipping/webhooks/dispatch/signature";
import { brokenTargetRule } from "@shipping/webhooks/egress/target-url";
import { webhooks } from "shipping-client";
import { checkCodec } from "./check-codec.js";
import { isPlainlyLost, readPlainJson } from "./plain-json.js";

interface Target {
  seeds: (string | Uint8Array)[];
  /** Throws if the parser disagrees with the second parser. */
  check(bytes: Buffer): void | Promise<void>;
}

const parsed = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const NOW_S = 1_800_000_000;
const SECRET = `whsec_${"A".repeat(43)}=`;
const PAYLOAD = Buffer.from('{"id":"evt_1"}');
const SIGNED = sign(SECRET, NOW_S, PAYLOAD);

export const targets: Record<string, Target> = {
  body: {
    seeds: ['{"a":[1,-2.5e3,"\\u00e9\\n",true,null,{}]}', "[[[[]]]]", "", "\ufeff{}", '{"a":1,5}'],
    check(bytes) {
      const text = isUtf8(bytes) ? bytes.toString() : undefined;
      const json = text === undefined ? undefined : parsed(text);
      if (text !== undefined) assert.equal(findJsonFault(text) === undefined, json !== undefined);
      const isAccepted = json !== undefined && readPlainJson(text ?? "").depth <= 32;
      try {
        const { value } = parseJsonBody(bytes);
        assert.ok(isAccepted);
        assert.deepEqual(value, json.value);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        assert.ok(!isAccepted);
      }
    },
  },
  numbers: {
    seeds: ['{"a":12345678901234567,"b":[1e400,0.1e-999],"a":1}', "[9007199254740993,1e21]", "123456789012345680000"],
    check(bytes) {
      const text = bytes.toString();
      if (!parsed(text) || readPlainJson(text).depth > 32) return;
      const { places, more } = findLostNumbers(text);
      const lost = readPlainJson(text).numbers.filter(({ digits }) => isPlainlyLost(digits));
      const first = lost.map(({ place }) => place.join("/")).sort();
      assert.equal(places.length + more, lost.length);
      assert.deepEqual(
        places
          .map((place) => place.join("/"))
          .sort()
          .slice(0, MAX_FIELDS),
        first.slice(0, MAX_FIELDS),
      );
    },
  },
  target: {
    seeds: [
      "https://example.com/hook?a=b",
      "https://a.internal/",
      "https://[::1]/",
      "http://0x7f.1:443/",
      "https://u@h.de/#",
    ],
    check(bytes) {
      const text = bytes.toString();
      if (brokenTargetRule(text, { allowPrivate: false, allowTargets: [] }) !== undefined) return;
      const url = new URL(text);
      assert.deepEqual([url.protocol, url.port, url.username, url.password, url.hash], ["https:", "", "", "", ""]);
      assert.match(url.hostname, /^(?=.{1,253}$)([a-z0-9-]{1,63}\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/);
      assert.equal(url.hostname, /^https:\/\/([^/?:]+)/i.exec(text)?.[1]?.toLowerCase());
      // The OpenAPI document allows everything that the service accepts.
      assert.match(text, new RegExp(urlForm.pattern));
      assert.doesNotMatch(text, new RegExp(urlForm.not.pattern));
    },
  },
  signature: {
    seeds: [SIGNED, `${SIGNED},v1=${"0".repeat(64)}`, SIGNED.replace("t=", "t=0")],
    async check(bytes) {
      const header = bytes.toString();
      const options = { now: () => NOW_S * 1000 };
      const isVerified = await webhooks.verify(PAYLOAD, header, SECRET, options).then(
        () => true,
        (error) => {
          assert.equal(error.code, "invalid_signature");
          return false;
        },
      );
      const digests = header.split(",v1=").slice(1);
      const time = Number(/^t=(\d+),/.exec(header)?.[1]);
      const expected = sign(SECRET, time, PAYLOAD).split("v1=")[1] ?? "";
      const isOld = !(Math.abs(NOW_S - time) <= 300);
      if (isVerified) assert.ok(!isOld && (digests.includes(expected) || header.startsWith("t=0")));
      const isOurs = verifySignature(SECRET, header, PAYLOAD, NOW_S);
      if (digests.length === 1) assert.equal(isOurs, isVerified);
      else assert.ok(!isOurs);
    },
  },
  cursor: {
    seeds: [`ord_${"a".repeat(26)}`, `ord_${"b".repeat(25)}q`, "shp_x", "100"],
    check(bytes) {
      const text = bytes.toString();
      const isCursor = pageQuery(orderId).safeParse({ after: text }).success;
      const bits = [...text.slice(4)].map((one) => "abcdefghijklmnopqrstuvwxyz234567".indexOf(one));
      const binary = bits.map((five) => five.toString(2).padStart(5, "0")).join("");
      const number = /^[01]+$/.test(binary)
        ? Buffer.from(binary.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
        : Buffer.of();
      assert.equal(isCursor, number.length === 16 && text === `ord_${base32(number)}`);
      const limit = pageQuery(orderId).safeParse({ limit: text });
      assert.equal(limit.success, Array.from({ length: 100 }, (_, index) => String(index + 1)).includes(text));
    },
  },
  codec: {
    seeds: [
      toBinary(CallSchema, create(CallSchema, { path: "/a", headers: { a: "b" }, message: Buffer.of(1) })),
      toBinary(AnswerSchema, create(AnswerSchema, { call: 3, status: 404, contentType: "a", headers: { c: "" } })),
    ],
    check: checkCodec,
  },
  media: {
    seeds: ["application/json; charset=utf-8", 'APPLICATION/JSON;charset="UTF8";', "text/json", "application/json;a=b"],
    check(bytes) {
      const text = bytes.toString("latin1");
      const [name = "", ...parameters] = text
        .split(";")
        .map((part) => part.replace(/^[ \t]+|[ \t]+$/g, "").toLowerCase());
      const given = parameters.filter((one) => one !== "");
      const isJson = /^[^ \t]/.test(text) && name === "application/json" && given.length <= 1;
      const charsets = ["charset=utf-8", "charset=utf8", 'charset="utf-8"', 'charset="utf8"'];
      const expected = isJson && given.every((one) => charsets.includes(one));
      assert.equal(isPlain({ headersDistinct: { "content-type": [text] } }, "application/json"), expected);
    },
  },
};

/** The seeds of a target, and those that `corpus` keeps in base64, one in a line: together they reach every block of its parser. */
export async function inputsOf(name: string): Promise<Buffer[]> {
  const kept = await readFile(join(import.meta.dirname, "corpus", `${name}.txt`), "utf8");
  const seeds = targets[name]?.seeds ?? [];
  return [
    ...seeds.map((seed) => Buffer.from(seed)),
    ...kept
      .trim()
      .split("\n")
      .map((line) => Buffer.from(line, "base64")),
  ];
}
