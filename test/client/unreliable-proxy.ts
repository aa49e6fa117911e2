import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A fault of a request: before the API receives it, or after. */
const FAULTS = ["unavailable", "bad-gateway", "refused", "dropped", "cut", "stalled"] as const;
export type Fault = (typeof FAULTS)[number];

/** The share of requests with a fault, and of idle connections that are closed. */
const SPOILT = 0.3;
const CLOSED_IDLE = 0.2;
/** As many faults as a client with its default retries survives. */
const MAX_FAULTS_PER_REQUEST = 3;

export interface UnreliableProxy {
  baseUrl: string;
  /** How often each fault happened. */
  faults: Record<Fault | "closed-idle", number>;
  stop(): Promise<void>;
}

/** A proxy in front of the API that causes faults: at most three per request, which then passes. */
export async function startUnreliableProxy(target: string): Promise<UnreliableProxy> {
  const faults = Object.fromEntries([...FAULTS, "closed-idle"].map((fault) => [fault, 0])) as UnreliableProxy["faults"];
  const spoilt = new Map<string, number>();

  function faultOf(request: IncomingMessage): Fault | undefined {
    const name = `${request.method} ${request.url} ${request.headers["idempotency-key"] ?? ""}`;
    const times = spoilt.get(name) ?? 0;
    if (times >= MAX_FAULTS_PER_REQUEST || Math.random() >= SPOILT) return undefined;
    spoilt.set(name, times + 1);
    // A stalled request lasts until the client's timeout, so one is enough.
    const fault = times === 0 && Math.random() < 0.05 ? "stalled" : FAULTS[Math.floor(Math.random() * 5)]!;
    faults[fault]++;
    return fault;
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = faultOf(request);
    const body = await buffer(request);
    if (fault === "refused") return void response.socket?.destroy();
    if (fault === "unavailable")
      return void response.writeHead(503, { "content-type": "application/json" }).end(UNAVAILABLE);
    if (fault === "bad-gateway")
      return void response.writeHead(502, { "content-type": "text/html" }).end("<h1>502</h1>");
    const answer = await forward(target, request, body);
    if (fault === "stalled") return;
    if (fault === "dropped") return void response.socket?.destroy();
    response.writeHead(answer.status, { ...answer.headers, "content-length": answer.body.length });
    if (fault === "cut")
      return void response.write(answer.body.subarray(0, answer.body.length / 2), () => response.socket?.destroy());
    response.end(answer.body);
    if (Math.random() >= CLOSED_IDLE) return;
    faults["closed-idle"]++;
    response.once("finish", () => response.socket?.destroySoon());
  }

  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    faults,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const UNAVAILABLE = JSON.stringify({
  error: { code: "service_unavailable", message: "The service is not available.", request_id: "req_proxy" },
});

async function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { host, connection, "content-length": _length, ...rest } = headers;
  const response = await fetch(new URL(url ?? "/", target), {
    method: method ?? "GET",
    headers: rest as Record<string, string>,
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  });
  const answer = Buffer.from(await response.arrayBuffer());
  const kept = [...response.headers].filter(([name]) => !/^(connection|keep-alive|content-length)$/.test(name));
  return { status: response.status, headers: Object.fromEntries(kept), body: answer };
}
