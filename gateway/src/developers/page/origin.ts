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

/**
 * Whether somebody opened a page themselves: it is no part of another page, and no other site's page sent it, as far as the browser says.
 * Whoever says nothing counts as somebody.
 */
export function isDeliberate({ headersDistinct }: Headers): boolean {
  const [target = "document"] = headersDistinct["sec-fetch-dest"] ?? [];
  const [site = "none"] = headersDistinct["sec-fetch-site"] ?? [];
  return target === "document" && (site === "none" || site === "same-origin");
}
