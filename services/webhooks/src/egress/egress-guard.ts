import dns from "node:dns";
import ipaddr from "ipaddr.js";
import { embeddedIpv4, type FindNat64Prefixes, type Nat64Prefix } from "./nat64.js";
import { isExempt, type TargetRules } from "./target-url.js";

/** The targets to which deliveries may connect. */
export interface EgressRules extends TargetRules {
  /** CIDR ranges that are denied although they are public: the cluster's pods, services and nodes. */
  denyRanges: readonly string[];
}

/** Returns all IP addresses of a name, IPv4 and IPv6. */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface VettedAddress {
  address: string;
  family: 4 | 6;
}

/** A connection was not made, because an IP address of its host is not allowed. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** A connection was not made, because its host has no IP address. */
export class NameNotResolved extends Error {
  override readonly name = "NameNotResolved";

  constructor(
    message: string,
    /** True if the name servers did not answer, as opposed to answering that there is none. */
    readonly isUnanswered = false,
  ) {
    super(message);
  }
}

const RESOLVE_TIMEOUT_MS = 2_000;
const LOOPBACK = ["127.0.0.1", "::1"];

// Azure's host agent serves secrets of the machine at this IP address, which is otherwise public.
const ALWAYS_DENIED = "168.63.129.16/32";
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns true if an IP address is public: unicast in its registry's sense, IPv4 or inside 2000::/3, and in no denied range. An IP address
 * behind a NAT64 is public if the IPv4 address that it stands for is public.
 */
export function isPublicAddress(
  address: string,
  denyRanges: readonly string[],
  nat64: readonly Nat64Prefix[] = [],
): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const embedded = parsed instanceof ipaddr.IPv6 ? embeddedIpv4(parsed, nat64) : undefined;
  if (embedded) {
    return !denyRanges.some((range) => isWithin(parsed, range)) && isPublicAddress(embedded.toString(), denyRanges);
  }
  if (parsed.range() !== "unicast") return false;
  // Outside 2000::/3 "unicast" also covers `::7f00:1` and its like, which the system may route to an IPv4 address.
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_IPV6)) return false;
  return ![ALWAYS_DENIED, ...denyRanges].some((range) => isWithin(parsed, range));
}

/** Returns the IP addresses to connect to for a host and port, decided anew for each connection. If one is not allowed, it refuses all. */
export async function vetAddresses(
  host: string,
  port: number,
  rules: EgressRules,
  resolve: Resolve,
  findNat64: FindNat64Prefixes = async () => [],
): Promise<VettedAddress[]> {
  const exempt = isExempt(host, port, rules);
  const addresses = await resolveAddresses(host, exempt, resolve);
  if (addresses.length === 0) throw new NameNotResolved(`${host} has no IP address.`);
  const nat64 = addresses.some((address) => ipaddr.IPv6.isValid(address)) ? await findNat64() : [];
  const refused = exempt ? undefined : addresses.find((address) => !isPublicAddress(address, rules.denyRanges, nat64));
  if (refused) throw new AddressRefused(`${host} resolves to ${refused}, which is not allowed.`);
  return addresses.map((address) => ({ address, family: ipaddr.IPv6.isValid(address) ? 6 : 4 }));
}

/** Returns true if a connected socket's other end is among the vetted IP addresses. */
export function isAmong(vetted: readonly VettedAddress[], remoteAddress: string | undefined): boolean {
  if (remoteAddress === undefined || !ipaddr.isValid(remoteAddress)) return false;
  const remote = canonical(remoteAddress);
  return vetted.some(({ address }) => canonical(address) === remote);
}

/**
 * Asks the name servers (the system's, unless given) with a time-out. It never uses `dns.lookup`, whose four threads would be blocked by
 * four names that hang.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new dns.promises.Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 1 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length === 0 && answers.some(isUnanswered))
      throw new NameNotResolved(`The name servers did not respond for ${hostname}.`, true);
    return addresses;
  };
}

// ENOTFOUND and ENODATA are answers: there is no such name, or it has no IP address of this family.
function isUnanswered(answer: PromiseSettledResult<unknown>): boolean {
  return answer.status === "rejected" && !["ENOTFOUND", "ENODATA"].includes(answer.reason.code);
}

async function resolveAddresses(host: string, exempt: boolean, resolve: Resolve): Promise<string[]> {
  // Connecting to a literal IP address makes no lookup, so it is vetted here like any resolved one.
  if (ipaddr.isValid(host)) return [host];
  // Name servers do not know this name, and the hosts file is not read.
  if (host === "localhost" && exempt) return LOOPBACK;
  return resolve(host);
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, range: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(range);
  return network.kind() === address.kind() && address.match([network, bits] as never);
}

function canonical(address: string): string {
  return ipaddr.process(address).toNormalizedString();
}
