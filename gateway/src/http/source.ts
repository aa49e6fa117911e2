import type { IncomingMessage } from "node:http";

/** The client's address: the one in front of the trusted proxies, which is the only one that cannot be forged. */
export function sourceOf(
  request: Pick<IncomingMessage, "headersDistinct"> & { socket: { remoteAddress?: string | undefined } },
  trustedProxies: number,
): string {
  const forwarded = (request.headersDistinct["x-forwarded-for"] ?? []).join(",").split(",");
  const told = trustedProxies > 0 ? forwarded.at(-trustedProxies)?.trim() : undefined;
  return (told || request.socket.remoteAddress || "unknown").replace(/^::ffff:/, "").slice(0, 64);
}
