import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { newSecret } from "../subscriptions/subscription.js";
import { sign, signStandard, verifySignature } from "./signature.js";

const secret = newSecret(randomBytes);
const body = Buffer.from('{"id":"evt_1","name":"Jürgen 🚚"}');

test("a signature is the HMAC of time, period and the exact bytes, keyed with the whole secret", () => {
  const expected = createHmac("sha256", secret).update("1700000000.").update(body).digest("hex");
  expect(sign(secret, 1_700_000_000, body)).toBe(`t=1700000000,v1=${expected}`);
  // The expected value is from: printf '1700000000.{}' | openssl dgst -sha256 -hmac whsec_test
  expect(sign("whsec_test", 1_700_000_000, Buffer.from("{}"))).toBe(
    "t=1700000000,v1=35495024f4ef3f94e5a93e22221544c4b75e9a42300cd965ab81cb85cd994e91",
  );
});

test("that of Standard Webhooks covers the ID, too: the example of its own libraries", () => {
  const text = '{"email":"test@example.com","username":"test_user"}';
  const id = "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk";
  expect(signStandard("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", id, 1_649_367_553, Buffer.from(text))).toBe(
    "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
  );
});

test("every signature verifies, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.integer({ min: 0, max: 4_000_000_000 }), (bytes, time) => {
      expect(verifySignature(secret, sign(secret, time, bytes), bytes, time)).toBe(true);
    }),
  );
});

test("another body, secret or time does not verify, nor does a malformed header", () => {
  const header = sign(secret, 1000, body);
  expect(verifySignature(secret, header, Buffer.from("{}"), 1000)).toBe(false);
  expect(verifySignature(newSecret(randomBytes), header, body, 1000)).toBe(false);
  expect(verifySignature(secret, header.replace("t=1000", "t=1001"), body, 1000)).toBe(false);
  for (const malformed of ["", "t=1000", header.toUpperCase(), `${header}0`]) {
    expect(verifySignature(secret, malformed, body, 1000)).toBe(false);
  }
});

test("five minutes are tolerated either way, not a second more", () => {
  const header = sign(secret, 1000, body);
  expect([700, 1300].map((now) => verifySignature(secret, header, body, now))).toEqual([true, true]);
  expect([699, 1301].map((now) => verifySignature(secret, header, body, now))).toEqual([false, false]);
});
