import { randomBytes } from "node:crypto";
import { createKeyRing } from "./key-ring.js";
import { createSecrets } from "./secrets.js";
import { secretIdentity } from "./subscription.js";

const keyRing = createKeyRing([{ id: "k1", key: randomBytes(32) }], randomBytes);
const seal = (id: string, secret: string) => keyRing.seal(Buffer.from(secret), secretIdentity(id));

/** Secrets over a key ring that counts what it opens. */
function counted(max?: number) {
  let opened = 0;
  const open: typeof keyRing.open = (sealed, identity) => {
    opened += 1;
    return keyRing.open(sealed, identity);
  };
  return { secrets: createSecrets({ ...keyRing, open }, max), opened: () => opened };
}

test("a secret is opened once, however many deliveries need it", () => {
  const { secrets, opened } = counted();
  const sealed = seal("whk_1", "whsec_one");
  expect([1, 2, 3].map(() => secrets.open("whk_1", Buffer.from(sealed)))).toEqual(Array(3).fill("whsec_one"));
  expect(opened()).toBe(1);
});

test("what is sealed anew is opened anew", () => {
  const { secrets, opened } = counted();
  for (const secret of ["whsec_one", "whsec_one", "whsec_two"]) {
    expect(secrets.open("whk_1", seal("whk_1", secret))).toBe(secret);
  }
  expect(opened()).toBe(3);
});

test("a secret that was moved to another subscription does not open, even while it is kept", () => {
  const { secrets } = counted();
  const sealed = seal("whk_1", "whsec_one");
  secrets.open("whk_1", sealed);
  expect(() => secrets.open("whk_2", sealed)).toThrow();
});

test("the oldest go when there are too many", () => {
  const { secrets, opened } = counted(2);
  const sealed = ["whk_1", "whk_2", "whk_3"].map((id) => [id, seal(id, `whsec_${id}`)] as const);
  for (const [id, bytes] of sealed) secrets.open(id, bytes);
  for (const [id, bytes] of sealed.slice(1)) secrets.open(id, bytes);
  expect(opened()).toBe(3);
  secrets.open(...sealed[0]!);
  expect(opened()).toBe(4);
});
