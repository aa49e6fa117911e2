import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Download } from "./page.js";

/** How long a download may take, whatever its client reads. */
const DOWNLOAD_MS = 60_000;

/**
 * Sends a download, and asks for each further chunk when its client has read the one before. `next` is told when the download ends, in
 * milliseconds of `performance.now()`. A download that ends early resets the connection: its length is not known beforehand, so HTTP/1.0,
 * which proxies speak, could not tell half a file from a whole one otherwise.
 */
export async function sendDownload(
  res: ServerResponse,
  { type, name, first }: Omit<Download, "rest">,
  next: (endsAt: number) => Promise<IteratorResult<Buffer>>,
  ms = DOWNLOAD_MS,
): Promise<void> {
  const endsAt = performance.now() + ms;
  const closed = new AbortController();
  const { signal } = closed;
  const breakOff = () => void res.req.socket.resetAndDestroy();
  const timer = setTimeout(breakOff, ms);
  res.once("close", () => {
    clearTimeout(timer);
    closed.abort();
  });
  // The server's own timeout for a stalled client would close the connection as after a complete file.
  res.once("timeout", breakOff);
  res.writeHead(200, {
    "Content-Type": type,
    "Content-Disposition": `attachment; filename="${name}"`,
    "Cache-Control": "no-store",
  });
  if (res.req.method === "HEAD") return void res.end();
  try {
    for (let chunk: Buffer | undefined = first; chunk !== undefined && !signal.aborted; ) {
      if (!res.write(chunk)) await once(res, "drain", { signal });
      const { done, value } = await next(endsAt);
      chunk = done ? undefined : value;
    }
    res.end();
  } catch (error) {
    if (signal.aborted) return;
    breakOff();
    throw error;
  }
}
