import ipaddr from "ipaddr.js";

/** A range of IPv6 that stands for all of IPv4 behind a translator, such as 64:ff9b::/96. */
export interface Nat64Prefix {
  network: ipaddr.IPv6;
  bits: number;
}

/** The prefixes of the network that a process is in. */
export type FindNat64Prefixes = () => Promise<readonly Nat64Prefix[]>;

// These lengths are from RFC 6052, 2.2.
const LENGTHS = [96, 64, 56, 48, 40, 32];
const UNUSED_BYTE = 8;

// RFC 7050 gives this name only these IPv4 addresses, so an IPv6 address of it comes from DNS64.
const KNOWN_NAME = "ipv4only.arpa";
const KNOWN_ADDRESSES = ["192.0.0.170", "192.0.0.171"];

// A prefix must be global, unique local, or RFC 6052's and RFC 8215's own: a translator elsewhere, such as in ::/96, would open the machine
// itself.
const NETWORKS = ["2000::/3", "fc00::/7", "64:ff9b::/32"].map((network) => ipaddr.IPv6.parseCIDR(network));

// A network rarely changes its translator, but a name server that does not answer may soon do so.
const KEEP_MS = 600_000;
const RETRY_MS = 10_000;

/** Reads a prefix in CIDR notation; undefined if the text is not a prefix. */
export function readNat64Prefix(text: string): Nat64Prefix | undefined {
  if (!ipaddr.IPv6.isValidCIDR(text)) return undefined;
  const [network, bits] = ipaddr.IPv6.parseCIDR(text);
  return LENGTHS.includes(bits) ? { network, bits } : undefined;
}

/** Returns the IPv4 address that an IPv6 address stands for, if it is in one of the prefixes. */
export function embeddedIpv4(address: ipaddr.IPv6, prefixes: readonly Nat64Prefix[]): ipaddr.IPv4 | undefined {
  const prefix = prefixes.find(({ network, bits }) => address.match(network, bits));
  return prefix && ipv4At(address, prefix.bits);
}

/**
 * Finds the prefixes by asking DNS, unless some are `given`. It asks again after ten minutes, and until the answer the earlier one holds: only
 * the first connection waits.
 */
export function createFindNat64Prefixes(
  given: readonly string[],
  resolve: (hostname: string) => Promise<string[]>,
  now = Date.now,
): FindNat64Prefixes {
  const named = given.flatMap((text) => readNat64Prefix(text) ?? []);
  if (named.length > 0) return async () => named;
  let askAgainAt = 0;
  let found: readonly Nat64Prefix[] = [];
  let first: Promise<void> | undefined;

  async function ask(): Promise<void> {
    askAgainAt = now() + KEEP_MS;
    try {
      found = (await resolve(KNOWN_NAME)).flatMap(parsePrefixes);
    } catch {
      askAgainAt = now() + RETRY_MS;
    }
  }

  return async () => {
    if (now() >= askAgainAt) {
      const asked = ask();
      first ??= asked;
    }
    await first;
    return found;
  };
}

function parsePrefixes(text: string): Nat64Prefix[] {
  if (!ipaddr.IPv6.isValid(text)) return [];
  const address = ipaddr.IPv6.parse(text);
  if (!NETWORKS.some((network) => address.match(network))) return [];
  const bits = LENGTHS.find((length) => KNOWN_ADDRESSES.includes(ipv4At(address, length).toString()));
  return bits === undefined ? [] : [{ network: address, bits }];
}

function ipv4At(address: ipaddr.IPv6, bits: number): ipaddr.IPv4 {
  const bytes = address.toByteArray();
  const used = bytes.filter((_, index) => index >= bits / 8 && index !== UNUSED_BYTE);
  return new ipaddr.IPv4(used.slice(0, 4));
}
