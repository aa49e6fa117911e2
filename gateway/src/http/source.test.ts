import { sourceOf } from "./source.js";

const from = (forwarded: string[], trustedProxies: number) =>
  sourceOf(
    { headersDistinct: { "x-forwarded-for": forwarded }, socket: { remoteAddress: "::ffff:10.0.0.1" } },
    trustedProxies,
  );

test("a source is the connection's address; behind trusted proxies the one that the first of them saw", () => {
  expect(from([], 0)).toBe("10.0.0.1");
  expect(from(["203.0.113.9"], 0)).toBe("10.0.0.1");
  expect(from(["6.6.6.6, 203.0.113.9"], 1)).toBe("203.0.113.9");
  expect(from(["6.6.6.6", "203.0.113.9, 10.0.0.2"], 2)).toBe("203.0.113.9");
  expect(from([], 1)).toBe("10.0.0.1");
});
