import { bareHost } from "@shipping/kit/tls/tls";
import fc from "fast-check";
import { brokenTargetRule, effectivePort, isExempt } from "./target-url.js";

const strict = { allowPrivate: false, allowTargets: [] };
const trial = { allowPrivate: true, allowTargets: [] };
const named = { allowPrivate: false, allowTargets: ["receiver.trial.svc:8443", "127.0.0.1:9000", "[::1]:9000"] };

const ADDRESS = "must have a hostname, not an IP address";
const ENCODED = "must have a hostname without percent-encoding";
const TEXT = "must be printable ASCII without white space or backslashes";
const START = "must start with https:// and a host";
const CREDENTIALS = "must not carry credentials";

/** Returns a name of this many characters, with labels of at most 63. */
const longHost = (length: number) => `${`${"a".repeat(49)}.`.repeat(4)}${"b".repeat(length - 204)}.com`;

describe("brokenTargetRule", () => {
  test.each([
    ...["https://example.com", "https://example.com/hook?a=b@c&d=%20", "https://hooks.example.co.uk:443/a//b"],
    ...["https://xn--bcher-kva.example/", "https://1and1.example/", "https://a-b.c1.example/", "hTTpS://EXAMPLE.com/"],
    ...["https://notlocalhost.com/", "https://localhost.example.com/", "https://internal.com/"],
    `https://example.com/${"a".repeat(2028)}`,
    `https://${longHost(253)}/`,
  ])("takes %s", (url) => {
    expect(brokenTargetRule(url, strict)).toBeUndefined();
  });

  test.each([
    ...["", "example.com", "HTTPS:example.com", "https:/example.com", "https:///example.com", "https://?a"].map(
      refusedBy(START),
    ),
    ...["http://example.com/", "HTTP://example.com/", "ftp://example.com/"].map(refusedBy("must start with https://")),
    ...[" https://example.com/", "https://exam\tple.com/", "https://example.com/\n", "https://example.com/\u0000"].map(
      refusedBy(TEXT),
    ),
    ...["https://example.com\\@evil.example/", "https:\\\\example.com/", "https://bü cher.example/"].map(
      refusedBy(TEXT),
    ),
    ...["https://ü@example.com/", "https://b%c3ü.example/", "bücher.example", "https://ü..example:x/"].map(
      refusedBy(TEXT),
    ),
    ...["https://bücher.example:8443/"].map(refusedBy("must use port 443")),
    ...["https://bücher.local/"].map(refusedBy("must have a public hostname: names under local are reserved")),
    ...[`https://example.com/${"ü".repeat(400)}`].map(refusedBy("must have at most 2048 characters")),
    ...["https://example.com/#", "https://example.com/#a"].map(refusedBy("must not have a fragment")),
    ...["https://@example.com/", "https://:@example.com/", "HTTPS://user:pw@example.com/"].map(refusedBy(CREDENTIALS)),
    ...["https://example.com:8443/", "https://example.com:80/"].map(refusedBy("must use port 443")),
    ...["https://example.com:99999/", "https://[::1/", "https://1.2.3.4.5/"].map(refusedBy("must be a valid URL")),
    ...["https://exa%mple.com/", "https://ex%61mple.com/", "https://%31%32%37.0.0.1/"].map(refusedBy(ENCODED)),
    ...[`https://example.com/${"a".repeat(2029)}`].map(refusedBy("must have at most 2048 characters")),
    ...["127.0.0.1.", "127.1", "017700000001", "0", "8.8.8.8"].map(hostRefusedBy(ADDRESS)),
    ...["[::1]", "[::]", "[::ffff:7f00:1]", "[2606:4700:4700::1111]", "[64:ff9b::7f00:1]"].map(hostRefusedBy(ADDRESS)),
    ...["com", "example.com.", "localhost.", "a..b"].map(hostRefusedBy("must have a public hostname")),
    ...["localhost", "LOCALHOST"].map(
      hostRefusedBy("must have a public hostname: localhost is your own machine, which a tunnel can make public"),
    ),
    ...[".example.com", "-a.example", "a-.example", longHost(254)].map(hostRefusedBy("must have a public hostname")),
  ])("refuses %j: %s", (url, rule) => {
    expect(brokenTargetRule(url, strict)).toBe(rule);
  });

  test.each([
    ["https://bücher.example/hook", "https://xn--bcher-kva.example/hook"],
    ["https://BÜCHER.example", "https://xn--bcher-kva.example/"],
    ["https://例え.example/", "https://xn--r8jz45g.example/"],
    ["https://example.com/grüße?für=ö", "https://example.com/gr%C3%BC%C3%9Fe?f%C3%BCr=%C3%B6"],
    ["https://exa\u200bmple.com/", "https://example.com/"],
    ["https://example.com/hook\u201d", "https://example.com/hook%E2%80%9D"],
  ])("refuses %s, and takes the form that it names", (url, ascii) => {
    expect(brokenTargetRule(url, strict)).toBe(`${TEXT}: send ${ascii}`);
    expect(brokenTargetRule(ascii, strict)).toBeUndefined();
  });

  test.each(["https://my_host.example.com/", "https://a.b_c.example/", "https://exämple_x.com/"])(
    "says of %s that names have no underscores",
    (url) =>
      expect(brokenTargetRule(url, strict)).toBe("must have a public hostname: names of hosts have no underscores"),
  );

  test.each([
    ...["a.localhost", "printer.local", "metadata.google.internal", "router.home.arpa", "abc.onion", "a.test"],
    ...["a.invalid", "webhooks.shipping.svc", "webhooks.shipping.svc.cluster.local", "A.LOCALHOST"],
  ])("refuses the reserved name %s", (host) => {
    expect(brokenTargetRule(`https://${host}/`, strict)).toMatch(
      /^must have a public hostname: names under [a-z.]+ are reserved$/,
    );
  });

  test("refuses every IPv4 address, as dotted, decimal and hexadecimal", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (value) => {
        const [a, b, ...rest] = [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
        const hosts = [[a, b, ...rest].join("."), `${value}`, `0x${value.toString(16)}`, `${a}.${value % 2 ** 24}`];
        for (const host of hosts) expect(brokenTargetRule(`https://${host}/`, strict)).toBe(ADDRESS);
      }),
    );
  });

  test("every accepted URL has https, port 443, no credentials, no fragment, and a name with a dot", () => {
    const parts = "https http : / // @ # ? \\ . localhost example com 127 1 0x7f [::1] 443 - %2e \t".split(" ");
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 8 }), (chosen) => {
        const text = `https://${chosen.join("")}`;
        if (brokenTargetRule(text, strict) !== undefined) return;
        const url = new URL(text);
        expect(url).toMatchObject({ protocol: "https:", port: "", username: "", password: "", hash: "" });
        expect(url.hostname).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)*\.(?!\d+$)[a-z0-9-]+$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

test("WEBHOOK_ALLOW_PRIVATE_TARGETS allows http, any port, and loopback by name or IP address, and nothing else", () => {
  const rulesOf = (urls: string[]) => urls.map((url) => brokenTargetRule(url, trial));
  const taken = ["http://localhost:8080/", "https://localhost/", "http://127.0.0.1:3000/", "http://[::1]:3000/"];
  expect(rulesOf([...taken, "http://example.com:8080/", "https://example.com:8443/"])).toEqual(
    Array(6).fill(undefined),
  );
  const addresses = ["http://10.0.0.1/", "http://169.254.169.254/", "http://[::ffff:127.0.0.1]/", "http://8.8.8.8/"];
  expect(rulesOf(addresses)).toEqual(Array(4).fill(ADDRESS));
  expect(rulesOf(["http://printer.local/", "http://user@localhost/", "ftp://localhost/", "http://intranet/"])).toEqual([
    "must have a public hostname: names under local are reserved",
    CREDENTIALS,
    "must start with https://",
    "must have a public hostname",
  ]);
});

test("WEBHOOK_ALLOW_TARGETS allows the named hosts at their ports, over http or https, and nothing else", () => {
  const rulesOf = (urls: string[]) => urls.map((url) => brokenTargetRule(url, named));
  const taken = ["http://receiver.trial.svc:8443/hook", "https://RECEIVER.trial.svc:8443/", "http://127.0.0.1:9000/"];
  expect(rulesOf([...taken, "https://[::1]:9000/", "https://example.com/"])).toEqual(Array(5).fill(undefined));
  const refused = ["https://receiver.trial.svc/", "https://receiver.trial.svc:8444/", "https://127.0.0.1:9001/"];
  expect(rulesOf([...refused, "http://example.com/", "https://user@receiver.trial.svc:8443/"])).toEqual([
    "must have a public hostname: names under svc are reserved",
    "must use port 443",
    "must use port 443",
    "must start with https://",
    CREDENTIALS,
  ]);
});

test("host and port of a URL are what the exemptions compare", () => {
  const url = new URL("http://[::1]/");
  const ports = [url, new URL("https://a.example"), new URL("https://a.example:1")].map(effectivePort);
  expect([bareHost(url), ...ports]).toEqual(["::1", 80, 443, 1]);
  expect([isExempt("::1", 9000, named), isExempt("localhost", 9000, named)]).toEqual([true, false]);
});

function refusedBy(rule: string) {
  return (url: string) => [url, rule] as const;
}

function hostRefusedBy(rule: string) {
  return (host: string) => [`https://${host}/`, rule] as const;
}
