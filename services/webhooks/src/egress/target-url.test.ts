import fc from "fast-check";
import { bareHostname, brokenTargetRule, effectivePort, isExempt } from "./target-url.js";

const strict = { allowPrivate: false, allowTargets: [] };
const trial = { allowPrivate: true, allowTargets: [] };
const named = { allowPrivate: false, allowTargets: ["receiver.trial.svc:8443", "127.0.0.1:9000", "[::1]:9000"] };

const ADDRESS = "must have a hostname, not an IP address";
const HOSTNAME = "must have a public hostname";
const ENCODED = "must have a hostname without percent-encoding";
const TEXT = "must be printable ASCII without white space or backslashes";
const START = "must start with https:// and a host";

/** Returns a name of this many characters, with labels of at most 63. */
const longHost = (length: number) => `${`${"a".repeat(49)}.`.repeat(4)}${"b".repeat(length - 204)}.com`;
describe("brokenTargetRule", () => {
  test.each([
    "https://example.com",
    "https://example.com/",
    "https://example.com/hook?a=b@c&d=%20",
    "https://hooks.example.co.uk:443/a/b",
    "https://xn--bcher-kva.example/",
    "https://1and1.example/",
    "https://a-b.c1.example/a//b",
    "https://EXAMPLE.com/",
    "HTTPS://example.com/",
    "hTTpS://EXAMPLE.com:443/A",
    "https://notlocalhost.com/",
    "https://localhost.example.com/",
    "https://internal.com/",
    `https://example.com/${"a".repeat(2028)}`,
    `https://${longHost(253)}/`,
  ])("takes %s", (url) => {
    expect(brokenTargetRule(url, strict)).toBeUndefined();
  });

  test.each([
    ["", START],
    ["example.com", START],
    ["https:example.com", START],
    ["https:/example.com", START],
    ["https:///example.com", START],
    ["https://", START],
    ["https://?a", START],
    ["javascript:alert(1)", START],
    ["http://example.com/", "must start with https://"],
    ["HTTP://example.com/", "must start with https://"],
    ["HTTPS://user@example.com/", "must not carry credentials"],
    ["HTTPS:example.com", START],
    ["ftp://example.com/", "must start with https://"],
    [" https://example.com/", TEXT],
    ["https://example.com/ ", TEXT],
    ["https://exam\tple.com/", TEXT],
    ["https://example.com/\n", TEXT],
    ["https://example.com\\@evil.example/", TEXT],
    ["https:\\\\example.com/", TEXT],
    ["https://bücher.example/", TEXT],
    ["https://example.com/\u0000", TEXT],
    ["https://example.com/#", "must not have a fragment"],
    ["https://example.com/#a", "must not have a fragment"],
    ["https://@example.com/", "must not carry credentials"],
    ["https://:@example.com/", "must not carry credentials"],
    ["https://user:password@example.com/", "must not carry credentials"],
    ["https://example.com:8443/", "must use port 443"],
    ["https://example.com:80/", "must use port 443"],
    ["https://example.com:99999/", "must be a valid URL"],
    ["https://exa%mple.com/", ENCODED],
    ["https://ex%61mple.com/", ENCODED],
    ["https://ex%c3%a4mple.com/", ENCODED],
    ["https://%31%32%37.0.0.1/", ENCODED],
    ["https://[::1/", "must be a valid URL"],
    ["https://1.2.3.4.5/", "must be a valid URL"],
    ["https://example.1/", "must be a valid URL"],
    [`https://example.com/${"a".repeat(2029)}`, "must have at most 2048 characters"],
    [`https://${longHost(254)}/`, "must have a public hostname"],
  ])("refuses %j", (url, rule) => {
    expect(brokenTargetRule(url, strict)).toBe(rule);
  });

  test.each([
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "0177.0.0.01",
    "0",
    "8.8.8.8",
    "169.254.169.254",
    "[::1]",
    "[::]",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[2606:4700:4700::1111]",
    "[64:ff9b::7f00:1]",
  ])("refuses the IP address https://%s/", (host) => {
    expect(brokenTargetRule(`https://${host}/`, strict)).toBe(ADDRESS);
  });

  test.each([
    "localhost",
    "com",
    "example.com.",
    "localhost.",
    "a..b",
    ".example.com",
    "-a.example",
    "a-.example",
    "a_b.example",
  ])("refuses the name %s", (host) => {
    expect(brokenTargetRule(`https://${host}/`, strict)).toBe(HOSTNAME);
  });

  test.each([
    "a.localhost",
    "printer.local",
    "metadata.google.internal",
    "router.home.arpa",
    "abc.onion",
    "a.test",
    "a.invalid",
    "webhooks.shipping.svc",
    "webhooks.shipping.svc.cluster.local",
    "A.LOCALHOST",
  ])("refuses the reserved name %s", (host) => {
    expect(brokenTargetRule(`https://${host}/`, strict)).toMatch(
      /^must have a public hostname: names under [a-z.]+ are reserved$/,
    );
  });

  test("refuses every IPv4 address, as dotted, decimal and hexadecimal", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const value = ((a * 256 + b) * 256 + c) * 256 + d;
        for (const host of [
          `${a}.${b}.${c}.${d}`,
          `${value}`,
          `0x${value.toString(16)}`,
          `${a}.${b * 65536 + c * 256 + d}`,
        ]) {
          expect(brokenTargetRule(`https://${host}/`, strict)).toBe(ADDRESS);
        }
      }),
    );
  });

  test("every accepted URL has https, port 443, no credentials, no fragment, and a name with a dot", () => {
    const part = fc.constantFrom(
      "https",
      "http",
      ":",
      "/",
      "//",
      "@",
      "#",
      "?",
      "\\",
      ".",
      "localhost",
      "example",
      "com",
      "127",
      "1",
      "0x7f",
      "[::1]",
      "443",
      "-",
      "%2e",
      "\t",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = `https://${parts.join("")}`;
        if (brokenTargetRule(text, strict) !== undefined) return;
        const url = new URL(text);
        expect(url).toMatchObject({ protocol: "https:", port: "", username: "", password: "", hash: "" });
        expect(url.hostname).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)*\.(?!\d+$)[a-z0-9-]+$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("WEBHOOK_ALLOW_PRIVATE_TARGETS", () => {
  test.each([
    "http://localhost:8080/",
    "https://localhost/",
    "http://127.0.0.1:3000/",
    "http://127.0.0.1/",
    "http://[::1]:3000/",
    "http://example.com:8080/",
    "https://example.com:8443/",
  ])("takes %s", (url) => {
    expect(brokenTargetRule(url, trial)).toBeUndefined();
  });

  test.each([
    "http://10.0.0.1/",
    "http://192.168.1.1:8080/",
    "http://169.254.169.254/",
    "http://[::ffff:127.0.0.1]/",
    "http://8.8.8.8/",
    "http://printer.local/",
    "http://user@localhost/",
    "http://localhost/#a",
    "ftp://localhost/",
    "http://intranet/",
  ])("still refuses %s", (url) => {
    expect(brokenTargetRule(url, trial)).toBeDefined();
  });
});

describe("WEBHOOK_ALLOW_TARGETS", () => {
  test.each([
    "http://receiver.trial.svc:8443/hook",
    "https://receiver.trial.svc:8443/hook",
    "https://RECEIVER.trial.svc:8443/",
    "http://127.0.0.1:9000/",
    "https://[::1]:9000/",
    "https://example.com/",
  ])("takes %s", (url) => {
    expect(brokenTargetRule(url, named)).toBeUndefined();
  });

  test.each([
    "https://receiver.trial.svc/",
    "https://receiver.trial.svc:8444/",
    "https://other.trial.svc:8443/",
    "https://127.0.0.1:9001/",
    "http://example.com/",
    "https://user@receiver.trial.svc:8443/",
  ])("still refuses %s", (url) => {
    expect(brokenTargetRule(url, named)).toBeDefined();
  });
});

test("host and port of a URL are what the exemptions compare", () => {
  const url = new URL("http://[::1]/");
  expect([
    bareHostname(url),
    effectivePort(url),
    effectivePort(new URL("https://a.example")),
    effectivePort(new URL("https://a.example:1")),
  ]).toEqual(["::1", 80, 443, 1]);
  expect(isExempt("::1", 9000, named)).toBe(true);
  expect(isExempt("localhost", 9000, named)).toBe(false);
});
