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
 * Whether a person opened a page: it is not embedded in another page, and was not sent by another site's page, as far as the browser says.
 * A client that sends neither header counts as a person.
 */
export function isDeliberate({ headersDistinct }: Headers): boolean {
  const [target = "document"] = headersDistinct["sec-fetch-dest"] ?? [];
  const [site = "none"] = headersDistinct["sec-fetch-site"] ?? [];
  return target === "document" && (site === "none" || site === "same-origin");
}
