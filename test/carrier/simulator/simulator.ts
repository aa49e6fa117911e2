import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Behaviour, drawTrouble, WELL } from "./behaviour.js";
import { type Entry, openLedger } from "./ledger.js";

/** The response to a call. */
interface Answer {
  status: number;
  body: unknown;
}

const PRICES: Record<string, number> = { express: 12.5, economy: 4.9 };
/** A city that this carrier does not serve. */
export const NOWHERE = "Nowhere";

/**
 * A carrier that books, charges and cancels over HTTP, keeps its ledger in a file, and fails as configured at `PUT /behaviour`. `GET /ledger`
 * shows the ledger.
 */
export async function startSimulator(options: { port: number; file: string }) {
  const ledger = openLedger(options.file);
  let behaviour: Behaviour = WELL;

  const server = createServer((request, response) => {
    void handle(request, response).catch((error) => reply(response, { status: 500, body: { error: String(error) } }));
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://carrier");
    const body = await jsonOf(request);
    if (url.pathname === "/ledger") return reply(response, { status: 200, body: ledger.all() });
    if (url.pathname === "/behaviour") {
      behaviour = { ...behaviour, ...(body as Partial<Behaviour>) };
      return reply(response, { status: 200, body: behaviour });
    }
    const act = () =>
      answer(`${request.method} ${url.pathname}`, { url, body, key: request.headers["idempotency-key"] });
    const trouble = drawTrouble(behaviour);
    if (trouble === "cut before") return void response.destroy();
    if (trouble === "unavailable") return reply(response, { status: 503, body: { error: "busy" } });
    if (trouble === "late") await sleep(behaviour.lateMs);
    if (trouble === "doubled") act();
    const done = act();
    if (trouble === "cut after") return void response.destroy();
    reply(response, trouble === "500 after" ? { status: 500, body: { error: "something went wrong" } } : done);
  }

  function answer(
    what: string,
    { url, body, key }: { url: URL; body: unknown; key: string | string[] | undefined },
  ): Answer {
    if (what === "POST /rates") return rated(body as Parcel);
    if (what === "POST /bookings") return booked(body as Parcel & { service: string }, String(key));
    if (what === "GET /bookings") {
      const standing = ledger.under(url.searchParams.get("key") ?? "").filter(({ isCancelled }) => !isCancelled);
      return { status: 200, body: standing.map(shown) };
    }
    const [, reference] = /^POST \/bookings\/(\w+)\/cancel$/.exec(what) ?? [];
    if (reference) return { status: ledger.cancel(reference) ? 200 : 404, body: {} };
    return { status: 404, body: {} };
  }

  function booked({ to, reference, service }: Parcel & { service: string }, key: string): Answer {
    const [known] = behaviour.takesKeys ? ledger.under(key) : [];
    if (known) return { status: 200, body: shown(known) };
    const amount = PRICES[service];
    if (to.city === NOWHERE || amount === undefined) return refused();
    const number = randomBytes(8).toString("hex").toUpperCase();
    const facts = { reference: `B${number}`, trackingNumber: `SIM${number}`, shipmentReference: reference };
    return { status: 201, body: shown(ledger.book({ ...facts, key, service, currency: "EUR", amount })) };
  }

  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Parcel {
  reference: string;
  to: { city: string };
}

function rated({ to }: Parcel): Answer {
  if (to.city === NOWHERE) return refused();
  const rates = Object.entries(PRICES).map(([service, amount]) => ({ service, currency: "EUR", amount }));
  return { status: 200, body: rates };
}

function refused(): Answer {
  return { status: 422, body: { error: "nothing is delivered to this address." } };
}

/** A booking in the API of the carrier. */
function shown({ reference, shipmentReference, trackingNumber, service, currency, amount }: Entry) {
  // The label of a trial is never printed, so it is only the beginning of a PDF.
  const label = Buffer.from(`%PDF-1.4\n% ${service} ${trackingNumber}\n`).toString("base64");
  const numbers = { reference, your_reference: shipmentReference, tracking_number: trackingNumber };
  return { ...numbers, service, price: { currency, amount }, label };
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
