import type { IncomingMessage, ServerResponse } from "node:http";

/** The size of the largest body that a request may have. */
export const MAX_BODY_BYTES = 65_536;

/** Returns the whole body, or undefined if it is larger than `maxBytes`. The server limits how long it may take (`listen`). */
export function collect(req: IncomingMessage, res: ServerResponse, maxBytes: number): Promise<Buffer | undefined> {
  // RFC 9110, 10.1.1: only now, after the headers were accepted. HTTP/1.0 has no interim responses.
  if (req.httpVersion === "1.1" && req.headers.expect?.toLowerCase() === "100-continue") res.writeContinue();
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    req.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      // Keep reading: a client that cannot finish sending may never read its answer.
      else resolve(undefined);
    });
    req.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    req.on("error", reject);
  });
}
