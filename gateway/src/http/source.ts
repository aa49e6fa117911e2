import type { IncomingMessage } from "node:http";

/** Where a request comes from: the address before as many proxies as are trusted, which is the only part that nobody can make up. */
export function sourceOf(
  request: Pick<IncomingMessage, "headersDistinct"> & { socket: { remoteAddress?: string | undefined } },
  trustedProxies: number,
): string {
  const forwarded = (request.headersDistinct["x-forwarded-for"] ?? []).join(",").split(",");
  const told = trustedProxies > 0 ? forwarded.at(-trustedProxies)?.trim() : undefined;
  return (told || request.socket.remoteAddress || "unknown").replace(/^::ffff:/, "").slice(0, 64);
}
