import { parcelBody } from "../kit/bodies.js";
import { eachOf } from "../kit/load.js";
import { type Attempt, untilDefinite, type Write } from "./retrying-client.js";

/** An acknowledged write, with its response. */
export interface Acknowledged {
  write: Write;
  status: number;
  text: string;
  /** The resource's ID; for rates, the rate's. */
  id: string;
}

/** The results of a load. */
export interface LoadResult {
  acknowledged: Acknowledged[];
  retries: number;
}

/** An account and its key. */
export interface Customer {
  accountId: string;
  key: string;
}

/**
 * Makes chains of order, shipment, rates, label and (every other one) void, `clients` at a time, until that many writes are acknowledged or it is
 * stopped.
 */
export async function mixedLoad(options: {
  gateways: readonly string[];
  customers: readonly Customer[];
  operations: number;
  clients: number;
  stopping?: AbortSignal;
  /** Whether a chain may end because a resource that it needs is gone. */
  mayBeGone?: boolean | undefined;
  /** Called for every request. */
  attempted?(attempt: Attempt): void;
  /** Called for every acknowledged write at once. */
  acknowledged?(write: Acknowledged): void;
}): Promise<LoadResult> {
  const result: LoadResult = { acknowledged: [], retries: 0 };
  let chains = 0;

  async function write(customer: Customer, label: string, path: string, body: object, expected: number) {
    const request: Write = { method: "POST", path, key: customer.key, idempotencyKey: label, body };
    const { sent, status, text } = await untilDefinite(options.gateways, request, options.attempted);
    result.retries += sent - 1;
    if (status === 404 && options.mayBeGone) throw new Gone();
    if (status !== expected) throw new Error(`${path} answered ${status} instead of ${expected}: ${text}`);
    const { data } = JSON.parse(text);
    const id: string = Array.isArray(data) ? data[0].id : data.id;
    const acknowledged = { write: request, status, text, id };
    result.acknowledged.push(acknowledged);
    options.acknowledged?.(acknowledged);
    return id;
  }

  async function chain(customer: Customer, number: number): Promise<void> {
    const step = (name: string) => `chain-${number}-${name}`;
    const order = await write(customer, step("order"), "/orders", parcelBody, 201);
    const shipment = await write(customer, step("shipment"), "/shipments", { ...parcelBody, order_id: order }, 201);
    const rate = await write(customer, step("rates"), "/rates", { shipment_id: shipment }, 200);
    const label = await write(customer, step("label"), "/labels", { shipment_id: shipment, rate_id: rate }, 201);
    if (number % 2 === 0) await write(customer, step("void"), `/labels/${label}/void`, {}, 200);
  }

  async function client(): Promise<void> {
    while (result.acknowledged.length < options.operations && !options.stopping?.aborted) {
      const number = ++chains;
      await chain(options.customers[number % options.customers.length]!, number).catch(unlessGone);
    }
  }

  await eachOf(options.clients, client);
  return result;
}

class Gone extends Error {}

function unlessGone(error: unknown): void {
  if (!(error instanceof Gone)) throw error;
}
