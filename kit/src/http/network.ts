import ipaddr from "ipaddr.js";

/**
 * A client is an IPv4 address or a /64 of IPv6. A site, such as an office or a rented server, often has a /48, and counts as two clients: with four,
 * one site could take all the CPU time that is available for pages.
 */
const SITE_IN_CLIENTS = 2;

/**
 * The networks by which a client's IP address is limited, each with its limit: an IPv4 address alone, an IPv6 address with its /64 and with its /48.
 * The /48 may do as much as two clients.
 */
export function limitedNetworks(address: string, most: number): { network: string; most: number }[] {
  if (!address.includes(":")) return [{ network: address, most }];
  return [
    { network: toNetwork(address, 64), most },
    { network: toNetwork(address, 48), most: SITE_IN_CLIENTS * most },
  ];
}

/** The network of an IPv6 address: its first bits, with their number. */
function toNetwork(address: string, bits: number): string {
  const groups = ipaddr.parse(address).toNormalizedString().split(":");
  return `${groups.slice(0, bits / 16).join(":")}::/${bits}`;
}
