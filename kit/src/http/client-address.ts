import type { IncomingMessage } from "node:http";
import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

export const addressHeaders = ["x-forwarded-for", "forwarded", "x-real-ip"] as const;

/** The trusted proxies in front of a part, and the header in which they report the client. */
export interface TrustedProxies {
  count: number;
  header: (typeof addressHeaders)[number];
}

/** At a port that only another part can reach, that part names the client. */
export const BEHIND_A_PART: TrustedProxies = { count: 1, header: "x-forwarded-for" };

/**
 * The client's IP address as the first of the trusted proxies saw it, in one spelling, so that limits and logs identify a client by one address.
 * Clients can forge every other entry of the header, and every other header. Without a valid entry, it is the address of the connection.
 */
export function getClientAddress(
  request: Pick<IncomingMessage, "headersDistinct"> & { socket: { remoteAddress?: string | undefined } },
  proxies: TrustedProxies,
): string {
  const { remoteAddress = "unknown" } = request.socket;
  const reported = proxies.count > 0 ? findEntry(request.headersDistinct[proxies.header] ?? [], proxies) : undefined;
  return readAddress(reported) ?? readAddress(remoteAddress) ?? remoteAddress;
}

function findEntry(values: readonly string[], { count, header }: TrustedProxies): string | undefined {
  // A proxy replaces this header instead of adding to it.
  if (header === "x-real-ip") return values.at(-1);
  // Quoted commas separate entries, too: otherwise a client could swallow the entries of the proxies with an open quote.
  const entry = values.join(",").split(",").at(-count);
  if (header === "x-forwarded-for") return entry;
  const pairs = entry?.split(";").map((pair) => pair.trim());
  return pairs?.find((pair) => /^for=/i.test(pair))?.slice("for=".length);
}

// Some proxies add the port of the connection. RFC 7239 writes IPv6 in quotes and brackets.
const IN_BRACKETS = /^\[([^\]]*)\](?::\d*)?$/;
const WITH_PORT = /^([\d.]+):\d*$/;

const AS_IPV6 = "::ffff:";

/**
 * Normalizes an IP address: removes port, brackets and zone, compresses IPv6, and converts IPv4-mapped IPv6 to IPv4. Undefined if the text is not an
 * IP address.
 */
function readAddress(text = ""): string | undefined {
  // Nearly all addresses are plain IPv4, which has one spelling. On a socket that listens on all addresses, they are IPv4-mapped IPv6.
  const plain = text.startsWith(AS_IPV6) ? text.slice(AS_IPV6.length) : text;
  if (isIPv4(plain)) return plain;
  const bare = text.trim().replace(/^"(.*)"$/, "$1");
  const host = IN_BRACKETS.exec(bare)?.[1] ?? WITH_PORT.exec(bare)?.[1] ?? bare;
  const address = host.split("%", 1)[0] ?? "";
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}
