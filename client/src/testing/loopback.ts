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

/** How a request is answered, or not. */
export type Responder = (response: ServerResponse, seen: Seen) => void;

export interface Loopback {
  baseUrl: string;
  seen: Seen[];
  /** How many connections are open, and how many there were. */
  sockets: { open: number; total: number };
  /** A client of this server that waits as little as it may, so half of what it says. */
  client(options?: Partial<ShippingOptions>): Shipping;
  [Symbol.asyncDispose](): Promise<void>;
}

export const API_KEY = "service_test_4kQz81mWx2LbRt9Yp0VnCs7HdJfGaEu3000000";

/** A server on loopback that gives its first request the first answer, and so on; the last one stays. */
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

/** A good answer. */
export const ok = (data: unknown, headers: Record<string, string> = {}, status = 201): Responder =>
  answer(status, { data }, headers);

/** A page of a list. */
export const page = (data: unknown[], next_cursor: string | null): Responder => answer(200, { data, next_cursor });

/** The API's refusal. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Responder =>
  answer(status, { error: { code, message: `It is ${code}.`, request_id: "req_1" } }, headers);

/** Something in between answers. */
export const html = (status: number): Responder => respondWith(status, "text/html", "<h1>Bad gateway</h1>");

function answer(status: number, body: object, headers: Record<string, string> = {}): Responder {
  return respondWith(status, "application/json", JSON.stringify(body), { "x-request-id": "req_1", ...headers });
}

/** Any answer. */
export function respondWith(
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Responder {
  return (response) => response.writeHead(status, { "content-type": type, ...headers }).end(body);
}

/** The connection is closed instead of an answer: whatever was to be done is done. */
export const drop: Responder = (response) => response.socket?.destroy();

/** Nothing happens. */
export const silence: Responder = () => undefined;

/** The first half of an answer, then `end`. */
export const half =
  (end: Responder): Responder =>
  (response, seen) => {
    response.writeHead(201, { "content-type": "application/json", "content-length": "64" });
    response.write('{"data":{"id":"shp_1",', () => end(response, seen));
  };

const address = { name: "A", street1: "B 1", city: "Bremen", postal_code: "28195", country: "DE" };

/** A shipment to create. */
export const SHIPMENT = {
  reference: "PO-1",
  from: address,
  to: address,
  parcel: { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 },
};

/** What a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a refusal, got ${JSON.stringify(value)}`);
    },
    (error) => error,
  );
}
