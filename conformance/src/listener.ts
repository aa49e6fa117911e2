import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";

const REDIRECTED = "?redirected";

/** A request that came to the listener. */
export interface Delivery {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Unix seconds. */
  arrived: number;
}

/** A webhook receiver, reached from outside under a URL of its own. */
export interface Listener {
  /** Where the platform finds it. */
  url: string;
  deliveries: readonly Delivery[];
  /** Decides how deliveries are answered from now on; 204 until then. */
  answerWith(statusFor: (delivery: Delivery) => number): void;
  /** Whether its URL leads here: a tunnel may be down. */
  isReached(): Promise<boolean>;
  close(): Promise<void>;
}

/** Listens at `host:port`, known to the platform as `url`. */
export async function openListener(address: string, url: string): Promise<Listener> {
  const nonce = randomUUID();
  const deliveries: Delivery[] = [];
  let statusFor: (delivery: Delivery) => number = () => 204;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === "GET") return response.end(nonce);
    // A platform that follows the redirect ends here, and it is no second attempt.
    if (request.url?.endsWith(REDIRECTED)) return response.writeHead(204).end();
    const delivery = { headers: request.headers, body: Buffer.concat(chunks), arrived: Date.now() / 1000 };
    deliveries.push(delivery);
    const status = statusFor(delivery);
    return response.writeHead(status, status === 302 ? { Location: url + REDIRECTED } : {}).end();
  });
  const at = new URL(`http://${address}`);
  server.listen(Number(at.port), at.hostname.replace(/[[\]]/g, ""));
  await once(server, "listening");

  return {
    url,
    deliveries,
    answerWith(decide) {
      statusFor = decide;
    },
    async isReached() {
      try {
        const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
        return (await response.text()) === nonce;
      } catch {
        return false;
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
