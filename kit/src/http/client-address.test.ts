import { getClientAddress, type TrustedProxies } from "./client-address.js";

type Header = TrustedProxies["header"];
const PROXY = "::ffff:10.0.0.1";

const from = (values: string[], count: number, header: Header = "x-forwarded-for", sent: string = header) =>
  getClientAddress({ headersDistinct: { [sent]: values }, socket: { remoteAddress: PROXY } }, { count, header });

test("a client is the connection's address; behind trusted proxies the one that the first of them saw", () => {
  expect(from([], 0)).toBe("10.0.0.1");
  expect(from(["203.0.113.9"], 0)).toBe("10.0.0.1");
  expect(from(["6.6.6.6, 203.0.113.9"], 1)).toBe("203.0.113.9");
  expect(from(["6.6.6.6", "203.0.113.9, 10.0.0.2"], 2)).toBe("203.0.113.9");
  expect(from([], 1)).toBe("10.0.0.1");
});

test("a connection that is closed already has no address", () => {
  expect(getClientAddress({ headersDistinct: {}, socket: {} }, { count: 0, header: "forwarded" })).toBe("unknown");
});

test.each([
  ["203.0.113.9", ["203.0.113.9:50123", "203.0.113.9:", " 203.0.113.9 ", "::ffff:203.0.113.9", "::ffff:cb00:7109"]],
  ["2001:db8::1", ["[2001:db8::1]:50123", "[2001:db8::1]", "[2001:db8::1]:", "2001:0DB8::0001", "2001:db8::1%eth0"]],
])("one client is one address: %s in all its spellings", (address, spellings) => {
  for (const spelling of spellings) expect([spelling, from([spelling], 1)]).toEqual([spelling, address]);
});

test("in Forwarded, it is the `for` of that entry", () => {
  const entries = 'for=6.6.6.6, For="[2001:db8::1]:4711";proto=https;by=10.0.0.3';
  expect(from([entries], 1, "forwarded")).toBe("2001:db8::1");
  expect(from([`for="6.6.6.6;x`, "proto=https;for=203.0.113.9:50123"], 1, "forwarded")).toBe("203.0.113.9");
  expect(from(['for="6.6.6.6', 'for="203.0.113.9:1"'], 1, "forwarded")).toBe("203.0.113.9");
  expect(from(["notfor=6.6.6.6;for=203.0.113.9"], 1, "forwarded")).toBe("203.0.113.9");
  expect(from(["for=6.6.6.6"], 2, "forwarded")).toBe("10.0.0.1");
  expect(from(["for=6.6.6.6, proto=https"], 1, "forwarded")).toBe("10.0.0.1");
});

test("in X-Real-IP, it is the whole value, however many proxies there are, and ignored without one", () => {
  const of = (count: number) => from(["203.0.113.9"], count, "x-real-ip");
  expect([0, 1, 2].map(of)).toEqual(["10.0.0.1", "203.0.113.9", "203.0.113.9"]);
});

test("headers other than that of the proxies are the client's own and are ignored", () => {
  expect(from(["6.6.6.6"], 1, "x-real-ip", "x-forwarded-for")).toBe("10.0.0.1");
  expect(from(["for=6.6.6.6"], 1, "x-forwarded-for", "forwarded")).toBe("10.0.0.1");
});

test.each([
  ...["unknown", "_hidden", "", "0x7f.1", "1", "203.0.113", "[203.0.113.9", "a".repeat(10_000), "unknown203.0.113.9"],
  ...["x203.0.113.9:1", "203.0.113.9:x", "203.0.113.9:1x", '"2001:db8"::1', '2001:db8"::1"'],
  ...["x[2001:db8::1]:1", "[2001:db8::1]x", "[2001:db8::1]:1x", "[2001:db8::1]:x"],
])("what is no address, as %s, leaves the proxy's", (text) => {
  expect(from([text], 1)).toBe("10.0.0.1");
  expect(from([`for=${text}`], 1, "forwarded")).toBe("10.0.0.1");
});
