import { errorOf } from "./testing/loopback.js";
import { testHeader, verify } from "./webhook-signature.js";

// Mistakes of receivers, whose messages have to say more than that the signature does not match.

const EVENT = JSON.stringify({ id: "evt_1" });
const secret = "whsec_GFn7PJ+v7jFMVLLhDAIHnOJaFzFczq7pBL+Nh4Zq/2o=";
const at = { now: () => 1_000_000 };
let header: string;
beforeAll(async () => {
  header = await testHeader({ payload: EVENT, secret, timestamp: 1000 });
});

test("says of an empty body that it was probably read before, not that the secret is wrong", async () => {
  for (const empty of ["", new Uint8Array(), new Blob([]).stream()]) {
    const { code, message } = await errorOf(verify(empty, header, secret, at));
    expect([code, message]).toEqual([
      "invalid_signature",
      expect.stringMatching(/^The body is empty.* read it before/),
    ]);
    expect(message).not.toContain("secret");
  }
});

test.each(['"%"', "'%'", " %", "%\n", "%\r\n", "%\\n", "\ufeff%", "%\u200b", "%,", "SECRET=%", "%;whsec_b"])(
  "the secret as %j is refused, with the reason",
  async (form) => {
    const spoilt = form.replace("%", secret);
    const { code, message } = await errorOf(verify(EVENT, header, [spoilt], at));
    expect(code).toBe("invalid_argument");
    expect(message).toMatch(/^secret has something beside the whsec_… string, such as quotes/);
    expect(await errorOf(testHeader({ payload: EVENT, secret: spoilt }))).toMatchObject({ code, message });
  },
);
