import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A minimal receiver of webhooks: reads, reports, answers 204. */
export interface BareReceiver {
  url: string;
  close(): Promise<void>;
}

/** Opens it on loopback. `onBody` gets the body of each request. */
export async function openBareReceiver(onBody: (body: string) => void): Promise<BareReceiver> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      onBody(body);
      response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
