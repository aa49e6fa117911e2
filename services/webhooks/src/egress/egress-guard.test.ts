import fc from "fast-check";
import { startNameServer } from "../testing/name-server.js";
import {
  AddressRefused,
  createResolve,
  type EgressRules,
  isAmong,
  isPublicAddress,
  NameNotResolved,
  vetAddresses,
} from "./egress-guard.js";

const strict: EgressRules = { allowPrivate: false, allowTargets: [], denyRanges: [] };
const answers =
  (...addresses: string[]) =>
  async () =>
    addresses;
const noLookup = async (host: string): Promise<string[]> => {
  throw new Error(`${host} was looked up`);
};

describe("isPublicAddress", () => {
  test("unicast addresses of the Internet are", () => {
    const addresses = ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:800::200e"];
    expect(addresses.filter((address) => !isPublicAddress(address, []))).toEqual([]);
  });

  test.each<[kind: string, ...addresses: string[]]>([
    ["loopback", "127.0.0.1", "127.255.255.254", "::1"],
    ["unspecified, this network", "0.0.0.0", "::", "0.1.2.3"],
    ["private", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1"],
    ["link-local, site-local", "169.254.1.1", "fe80::1", "fec0::1"],
    ["metadata", "169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192"],
    ["Azure's host agent", "168.63.129.16"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["documentation", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"],
    ["benchmarking, discard", "198.18.0.1", "100::1"],
    ["multicast, reserved, broadcast", "224.0.0.1", "ff02::1", "240.0.0.1", "255.255.255.255"],
    ["IPv4 in IPv6", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::7f00:1", "::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1"],
    ["6to4, Teredo", "192.88.99.1", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["no address", "example.com", ""],
  ])("%s is not", (_kind, ...addresses) => {
    expect(addresses.filter((address) => isPublicAddress(address, []))).toEqual([]);
  });

  test("a denied range closes public IP addresses of its own family", () => {
    const denied = ["34.0.0.0/8", "2600:1f00::/24"];
    expect(["34.1.2.3", "2600:1f00::1"].map((address) => isPublicAddress(address, denied))).toEqual([false, false]);
    expect(["35.1.2.3", "2600:2f00::1"].map((address) => isPublicAddress(address, denied))).toEqual([true, true]);
  });

  test("no IPv4 address becomes public by being embedded in IPv6 outside 2000::/3", () => {
    const prefix = fc.constantFrom("::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::");
    fc.assert(
      fc.property(prefix, fc.ipV4(), (before, address) => {
        expect(isPublicAddress(`${before}${address}`, [])).toBe(false);
      }),
    );
  });
});

describe("vetAddresses", () => {
  test("yields all IP addresses of a public name", async () => {
    const vetted = await vetAddresses("a.example", 443, strict, answers("8.8.8.8", "2606:4700:4700::1111"));
    expect(vetted).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700:4700::1111", family: 6 },
    ]);
  });

  test("refuses all if one is not public", async () => {
    const mixed = vetAddresses("a.example", 443, strict, answers("8.8.8.8", "10.0.0.1"));
    await expect(mixed).rejects.toThrow(new AddressRefused("a.example resolves to 10.0.0.1, which is not allowed."));
  });

  test("a name without IP addresses is not resolved", async () => {
    await expect(vetAddresses("a.example", 443, strict, answers())).rejects.toThrow(NameNotResolved);
  });

  test("vets a literal IP address itself, without a lookup", async () => {
    for (const literal of ["127.0.0.1", "::1", "10.0.0.1"]) {
      await expect(vetAddresses(literal, 443, strict, noLookup)).rejects.toThrow(AddressRefused);
    }
    expect(await vetAddresses("8.8.8.8", 443, strict, noLookup)).toHaveLength(1);
  });

  test("without the switch, localhost is a name like any other", async () => {
    await expect(vetAddresses("localhost", 443, strict, answers("127.0.0.1"))).rejects.toThrow(AddressRefused);
  });

  test("the private switch opens loopback by name and IP address, but no other name that resolves to it", async () => {
    const rules = { ...strict, allowPrivate: true };
    const vetted = await vetAddresses("localhost", 8080, rules, noLookup);
    expect(vetted.map(({ address }) => address)).toEqual(["127.0.0.1", "::1"]);
    expect(await vetAddresses("127.0.0.1", 8080, rules, noLookup)).toHaveLength(1);
    for (const host of ["a.example", "10.0.0.1"])
      await expect(vetAddresses(host, 8080, rules, answers("127.0.0.1"))).rejects.toThrow(AddressRefused);
  });

  test("a named target is open only at its port", async () => {
    const rules = { ...strict, allowTargets: ["receiver.trial.svc:8443"] };
    expect(await vetAddresses("receiver.trial.svc", 8443, rules, answers("10.0.0.1"))).toHaveLength(1);
    await expect(vetAddresses("receiver.trial.svc", 443, rules, answers("10.0.0.1"))).rejects.toThrow(AddressRefused);
  });
});

test("the other end of a connection must be a vetted IP address, in any spelling", () => {
  const vetted = [
    { address: "8.8.8.8", family: 4 as const },
    { address: "2606:4700:4700:0::1111", family: 6 as const },
  ];
  const cases = ["8.8.8.8", "::ffff:8.8.8.8", "2606:4700:4700::1111", "8.8.4.4", "127.0.0.1", "", undefined];
  expect(cases.map((remote) => isAmong(vetted, remote))).toEqual([true, true, true, false, false, false, false]);
});

describe("createResolve", () => {
  let server: Awaited<ReturnType<typeof startNameServer>>;
  beforeAll(async () => {
    server = await startNameServer({
      "both.example": { 4: ["93.184.216.34", "10.0.0.1"], 6: ["2606:4700:4700:0:0:0:0:1111"] },
      "four.example": { 4: ["93.184.216.34"], 6: [] },
      "none.example": { 4: [], 6: [] },
      "fails.example": "fails",
      "silent.example": "silent",
    });
  });
  afterAll(() => server.close());

  test("yields every IP address, of both families, so that a mixed answer is vetted as a whole", async () => {
    const resolve = createResolve([server.address]);
    expect((await resolve("both.example")).sort()).toEqual(["10.0.0.1", "2606:4700:4700::1111", "93.184.216.34"]);
    expect(await resolve("four.example")).toEqual(["93.184.216.34"]);
    await expect(vetAddresses("both.example", 443, strict, resolve)).rejects.toThrow(AddressRefused);
  });

  test("returns an empty list for a name without an IP address, and reports servers that failed or did not answer", async () => {
    const resolve = createResolve([server.address]);
    expect(await resolve("none.example")).toEqual([]);
    const refusal = (name: string) => vetAddresses(name, 443, strict, resolve).catch((error: unknown) => error);
    expect(await refusal("none.example")).toMatchObject({ name: "NameNotResolved", isUnanswered: false });
    expect(await refusal("fails.example")).toMatchObject({ name: "NameNotResolved", isUnanswered: true });
    expect(await refusal("silent.example")).toMatchObject({ name: "NameNotResolved", isUnanswered: true });
  });

  test("is not held up by names whose servers hang", async () => {
    const resolve = createResolve([server.address]);
    const ended: string[] = [];
    const hanging = Array.from({ length: 16 }, () => resolve("silent.example").catch(() => ended.push("hanging")));
    await resolve("four.example").then(() => ended.push("answered"));
    expect(ended).toEqual(["answered"]);
    await Promise.all(hanging);
  });
});
