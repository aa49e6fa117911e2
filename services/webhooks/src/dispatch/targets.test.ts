import { randomBytes } from "node:crypto";
import { createKeyRing } from "../subscriptions/key-ring.js";
import { secretIdentity } from "../subscriptions/subscription.js";
import { createTargets, type StoredTarget } from "./targets.js";

const url = "https://shop.example/hook?token=private";
const keyRing = createKeyRing([{ id: "k1", key: randomBytes(32) }], randomBytes);
const seal = (id: string, secret: string) => keyRing.seal(Buffer.from(secret), secretIdentity(id));
const storedOf = (subscriptionId: string, secret = "whsec_one"): StoredTarget => ({
  subscriptionId,
  url,
  sealedSecret: seal(subscriptionId, secret),
});

/** Creates targets over a key ring that counts the secrets that it opens. */
function counted(max?: number) {
  let opened = 0;
  const open: typeof keyRing.open = (sealed, identity) => {
    opened += 1;
    return keyRing.open(sealed, identity);
  };
  return { targets: createTargets({ ...keyRing, open }, max), opened: () => opened };
}

test("a target is read once, however many deliveries need it", () => {
  const { targets, opened } = counted();
  const stored = storedOf("whk_1");
  for (let delivery = 1; delivery <= 3; delivery++) {
    const { url: parsed, secret } = targets.of({ ...stored, sealedSecret: Buffer.from(stored.sealedSecret) });
    expect([parsed.href, secret]).toEqual([url, "whsec_one"]);
  }
  expect(opened()).toBe(1);
});

test("a stored target that changes is read again", () => {
  const { targets, opened } = counted();
  for (const secret of ["whsec_one", "whsec_one", "whsec_two"]) {
    expect(targets.of(storedOf("whk_1", secret)).secret).toBe(secret);
  }
  expect(opened()).toBe(3);
  const stored = storedOf("whk_1");
  expect([url, "https://other.example/"].map((at) => targets.of({ ...stored, url: at }).url.href)).toEqual([
    url,
    "https://other.example/",
  ]);
});

test("a secret that was moved to another subscription cannot be opened, even while it is cached", () => {
  const { targets } = counted();
  const stored = storedOf("whk_1");
  targets.of(stored);
  expect(() => targets.of({ ...stored, subscriptionId: "whk_2" })).toThrow("unable to authenticate data");
});

test("the oldest are dropped when there are too many", () => {
  const { targets, opened } = counted(2);
  const stored = ["whk_1", "whk_2", "whk_3"].map((id) => storedOf(id));
  for (const one of [...stored, ...stored.slice(1)]) targets.of(one);
  expect(opened()).toBe(3);
  targets.of(stored[0]!);
  expect(opened()).toBe(4);
});
