import { randomBytes } from "node:crypto";
import { createKeyRing, ledgerCodec } from "./key-ring.js";

const [first, second] = [
  { id: "2026-01", key: randomBytes(32) },
  { id: "2026-02", key: randomBytes(32) },
];
const ring = createKeyRing([first], randomBytes);
const secret = Buffer.from("whsec_secret");
const identity = ["subscription", "whk_1"];

test("a sealed secret opens, and is sealed differently each time", () => {
  const sealed = ring.seal(secret, identity);
  expect(Buffer.from(ring.open(sealed, identity))).toEqual(secret);
  expect(Buffer.from(sealed).includes("whsec_")).toBe(false);
  expect(ring.seal(secret, identity)).not.toEqual(sealed);
  expect(ring.open(ring.seal(Buffer.alloc(0), identity), identity)).toHaveLength(0);
});

const NOT_AUTHENTIC = "unable to authenticate data";

test("the first key writes, every key of the ring opens", () => {
  const sealed = ring.seal(secret, identity);
  const rotated = createKeyRing([second, first], randomBytes);
  expect(Buffer.from(rotated.open(sealed, identity))).toEqual(secret);
  expect(() => ring.open(rotated.seal(secret, identity), identity)).toThrow(
    "the key 2026-02, which is not in the key ring",
  );
});

test("another row's identity does not open it, however it is cut", () => {
  const sealed = ring.seal(secret, ["a", "bc"]);
  for (const other of [["ab", "c"], ["a", "bc", ""], ["abc"], []])
    expect(() => ring.open(sealed, other)).toThrow(NOT_AUTHENTIC);
});

test("no byte of it can be changed or left out", () => {
  const sealed = Buffer.from(ring.seal(secret, identity));
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(() => ring.open(changed, identity)).toThrow();
    expect(() => ring.open(sealed.subarray(0, at), identity)).toThrow();
  }
});

test("a ledger body belongs to its account, environment and key", () => {
  const codec = ledgerCodec(ring);
  const context = { accountId: "acc_1", environment: "sandbox" as const, idempotencyKey: "k" };
  const stored = codec.seal(secret, context);
  expect(Buffer.from(codec.open(stored, context))).toEqual(secret);
  expect(() => codec.open(stored, { ...context, idempotencyKey: "other" })).toThrow(NOT_AUTHENTIC);
});
