import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { startNameServer } from "../testing/name-server.js";
import { AddressRefused, createResolve, type EgressRules, isPublicAddress, vetAddresses } from "./egress-guard.js";
import { createFindNat64Prefixes, embeddedIpv4, readNat64Prefix } from "./nat64.js";

const strict: EgressRules = { allowPrivate: false, allowTargets: [], denyRanges: [] };
const prefixes = (...texts: string[]) => texts.flatMap((text) => readNat64Prefix(text) ?? []);
const WELL_KNOWN = prefixes("64:ff9b::/96");

// These are the examples of RFC 6052, 2.4, all of 192.0.2.33.
test.each([
  ["2001:db8::/32", "2001:db8:c000:221::"],
  ["2001:db8:100::/40", "2001:db8:1c0:2:21::"],
  ["2001:db8:122::/48", "2001:db8:122:c000:2:2100::"],
  ["2001:db8:122:300::/56", "2001:db8:122:3c0:0:221::"],
  ["2001:db8:122:344::/64", "2001:db8:122:344:c0:2:2100::"],
  ["2001:db8:122:344::/96", "2001:db8:122:344::192.0.2.33"],
])("behind %s, %s stands for an IPv4 address", (prefix, address) => {
  expect(embeddedIpv4(ipaddr.IPv6.parse(address), prefixes(prefix))?.toString()).toBe("192.0.2.33");
});

test("only IPv6 ranges of the standard's lengths are prefixes", () => {
  expect(prefixes("10.0.0.0/8", "64:ff9b::/97", "64:ff9b::", "::/128", "x/96")).toEqual([]);
});

describe("an IP address behind a NAT64", () => {
  test("is public exactly if the IPv4 address is that it stands for", () => {
    const around = fc.constantFrom("64:ff9b::/96", "2001:db8:64::/96", "fd00:64::/96");
    fc.assert(
      fc.property(around, fc.ipV4(), (prefix, address) => {
        const behind = `${prefix.replace("/96", "")}${address}`;
        expect(isPublicAddress(behind, [], prefixes(prefix))).toBe(isPublicAddress(address, []));
      }),
    );
  });

  test.each(["127.0.0.1", "168.63.129.16"])("is refused for %s, even in a prefix of public addresses", (address) => {
    expect(isPublicAddress(`2a00:64::${address}`, [], prefixes("2a00:64::/96"))).toBe(false);
  });

  test("is refused if either address is in a denied range", () => {
    expect(isPublicAddress("64:ff9b::8.8.8.8", ["8.8.8.0/24"], WELL_KNOWN)).toBe(false);
    expect(isPublicAddress("64:ff9b::8.8.8.8", ["64:ff9b::/96"], WELL_KNOWN)).toBe(false);
    expect(isPublicAddress("64:ff9b::8.8.8.8", ["9.9.9.0/24"], WELL_KNOWN)).toBe(true);
  });
});

describe("the prefixes of a network", () => {
  const found = async (answer: string[]) => {
    const prefixesFound = await createFindNat64Prefixes([], async () => answer)();
    return prefixesFound.map(({ network, bits }) =>
      ipaddr.IPv6.networkAddressFromCIDR(`${network}/${bits}`).toString(),
    );
  };

  test("are found by the addresses that DNS64 gives to ipv4only.arpa, of any length", async () => {
    expect(await found(["192.0.0.170", "64:ff9b::c000:aa", "2a00:64:0:0:c0:0:aa00:0"])).toEqual([
      "64:ff9b::",
      "2a00:64::",
    ]);
    for (const last of ["aa", "ab"]) expect(await found([`64:ff9b::c000:${last}`])).toEqual(["64:ff9b::"]);
    expect(await found(["192.0.0.170", "192.0.0.171", "64:ff9b::c000:ac"])).toEqual([]);
  });

  test("exclude those that would open the machine itself, and other answers", async () => {
    expect(await found(["::c000:aa", "fe80::c000:aa", "ff02::c000:aa", "::ffff:c000:aa", "2a00:64::1"])).toEqual([]);
  });

  test("let IPv4 receivers be reached in a cluster that has only DNS64, but no private IP address", async () => {
    const server = await startNameServer({
      "ipv4only.arpa": { 4: ["192.0.0.170"], 6: ["64:ff9b:0:0:0:0:c000:00aa"] },
      "public.example": { 4: ["93.184.216.34"], 6: ["64:ff9b:0:0:0:0:5db8:d822"] },
      "private.example": { 4: [], 6: ["64:ff9b:0:0:0:0:a00:1"] },
    });
    const resolve = createResolve([server.address]);
    const find = createFindNat64Prefixes([], resolve);
    const vetted = await vetAddresses("public.example", 443, strict, resolve, find);
    expect(vetted.map(({ address }) => address).sort()).toEqual(["64:ff9b::5db8:d822", "93.184.216.34"]);
    await expect(vetAddresses("private.example", 443, strict, resolve, find)).rejects.toThrow(AddressRefused);
    await server.close();
  });

  test("are asked for again after ten minutes, or ten seconds without an answer, while the earlier answer holds", async () => {
    let now = 1;
    let asked = 0;
    let answer = async (): Promise<string[]> => Promise.reject(new Error("no answer"));
    const resolve = () => {
      asked += 1;
      return answer();
    };
    const find = createFindNat64Prefixes([], resolve, () => now);
    const countAfter = async (ms: number) => {
      now += ms;
      await find();
      return [asked, (await find()).length];
    };
    expect(await countAfter(0)).toEqual([1, 0]);
    expect(await countAfter(9_000)).toEqual([1, 0]);
    answer = async () => ["64:ff9b::c000:aa"];
    expect(await countAfter(1_000)).toEqual([2, 1]);
    answer = () => new Promise(() => {});
    expect(await countAfter(599_000)).toEqual([2, 1]);
    expect(await countAfter(1_000)).toEqual([3, 1]);
  });

  test("are those that the operator names, without a look-up", async () => {
    const find = createFindNat64Prefixes(["2a00:64::/96"], async () => Promise.reject(new Error("asked")));
    expect(await find()).toEqual(prefixes("2a00:64::/96"));
    const none = createFindNat64Prefixes(["10.0.0.0/8"], async () => []);
    expect(await none()).toEqual([]);
  });
});
