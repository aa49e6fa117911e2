import http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { certificate, privateKey } from "./receiver-certificate.js";

/** A request as it arrived. */
export interface Received {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  /** `performance.now()` when it was complete. */
  at: number;
}

/** Answers a request; `count` is its number, from 1. */
export type Responder = (response: http.ServerResponse, received: Received, count: number) => void;

/** A server that webhooks are sent to. */
export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** How many connections it has had. */
  connections(): number;
  /** How many of them are open. */
  open(): number;
  close(): Promise<void>;
}

/** Answers every request with a status and no body. */
export function withStatus(status: number): Responder {
  return (response) => response.writeHead(status).end();
}

/** Starts a receiver on loopback. */
export async function startReceiver(
  answer: Responder = withStatus(204),
  options: { tls?: boolean | { cert: string; key: string } } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener: http.RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks), at: performance.now() };
    received.push(one);
    answer(response, one, received.length);
  };
  const server = options.tls
    ? https.createServer(options.tls === true ? { key: privateKey, cert: certificate } : options.tls, listener)
    : http.createServer(listener);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? "https" : "http"}://localhost:${port}/hook?token=private`,
    port,
    received,
    connections: () => connections,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
