import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Shipping, type ShippingOptions } from "../shipping.js";

/** A request as the server saw it. */
export interface Seen {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

/** How the server handles a request. */
export type Responder = (response: ServerResponse, seen: Seen) => void;

export interface Loopback {
  baseUrl: string;
  seen: Seen[];
  /** The number of open connections, and of all connections so far. */
  sockets: { open: number; total: number };
  /** A client of this server with the shortest waits, which are half of the nominal ones. */
  client(options?: Partial<ShippingOptions>): Shipping;
  [Symbol.asyncDispose](): Promise<void>;
}

export const API_KEY = "service_test_4kQz81mWx2LbRt9Yp0VnCs7HdJfGaEu3000000";

/** A server on loopback that gives its first request the first answer, and so on. The last answer is repeated. */
export async function loopback(...responders: Responder[]): Promise<Loopback> {
  const seen: Seen[] = [];
  const sockets = { open: 0, total: 0 };
  const server = createServer(async (request, response) => {
    const respond = responders[Math.min(seen.length, responders.length - 1)];
    const one: Seen = { method: request.method, path: request.url, headers: request.headers, body: "" };
    seen.push(one);
    one.body = await text(request).catch(() => "");
    respond?.(response, one);
  });
  server.on("connection", (socket) => {
    sockets.open++;
    sockets.total++;
    socket.once("close", () => sockets.open--);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return {
    baseUrl,
    seen,
    sockets,
    client: (options) => new Shipping({ apiKey: API_KEY, baseUrl, random: () => 1, ...options }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A successful answer. */
export const ok = (data: unknown, headers: Record<string, string> = {}, status = 201): Responder =>
  answer(status, { data }, headers);

/** A page of a list. */
export const page = (data: unknown[], next_cursor: string | null): Responder => answer(200, { data, next_cursor });

/** The API's refusal. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Responder =>
  answer(status, { error: { code, message: `It is ${code}.`, request_id: "req_1" } }, headers);

/** An answer of a proxy in between. */
export const html = (status: number): Responder => respondWith(status, "text/html", "<h1>Bad gateway</h1>");

function answer(status: number, body: object, headers: Record<string, string> = {}): Responder {
  return respondWith(status, "application/json", JSON.stringify(body), { "x-request-id": "req_1", ...headers });
}

/** An answer with any status and body. */
export function respondWith(
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Responder {
  return (response) => response.writeHead(status, { "content-type": type, ...headers }).end(body);
}

/** Closes the connection without an answer, after the request may have been executed. */
export const drop: Responder = (response) => response.socket?.destroy();

/** Leaves the request unanswered. */
export const silence: Responder = () => undefined;

/** Sends the first half of an answer, then calls `end`. */
export const half =
  (end: Responder): Responder =>
  (response, seen) => {
    response.writeHead(201, { "content-type": "application/json", "content-length": "64" });
    response.write('{"data":{"id":"shp_1",', () => end(response, seen));
  };

const address = { name: "A", street1: "B 1", city: "Bremen", postal_code: "28195", country: "DE" };

/** A valid input for a shipment. */
export const SHIPMENT = {
  reference: "PO-1",
  from: address,
  to: address,
  parcel: { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 },
};

/** Returns the error with which a promise rejects. */
export async function errorOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a refusal, got ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
}
