import type { IncomingMessage } from "node:http";

type Headers = Pick<IncomingMessage, "headersDistinct">;

/**
 * Whether a form was sent by one of our own pages. Browsers say so in `Sec-Fetch-Site`, which no script can set; an older one at least
 * in `Origin`. A request that says neither comes from no browser that we know.
 */
export function isOwnForm({ headersDistinct }: Headers, origin: string): boolean {
  const site = headersDistinct["sec-fetch-site"];
  if (site) return site.length === 1 && site[0] === "same-origin";
  const sent = headersDistinct.origin;
  return sent?.length === 1 && sent[0] === origin;
}

/** Where a request comes from: the address before as many proxies as are trusted, which is the only part that nobody can make up. */
export function sourceOf(
  request: Headers & { socket: { remoteAddress?: string | undefined } },
  trustedProxies: number,
): string {
  const forwarded = (request.headersDistinct["x-forwarded-for"] ?? []).join(",").split(",");
  const told = trustedProxies > 0 ? forwarded.at(-trustedProxies)?.trim() : undefined;
  return (told || request.socket.remoteAddress || "unknown").replace(/^::ffff:/, "").slice(0, 64);
}
