import type { Arrival, History, Operation } from "./operation.js";

/** A short history, written by hand. Times are seconds. */
export interface HandMade extends History {
  /** Adds a request from `startS` to `endS`, with status 2xx by default. */
  request(line: string, [startS, endS]: [number, number], answer?: Partial<Operation> & { data?: unknown }): Operation;
  /** Adds a delivery of an event. */
  event(type: string, data: { id: string }, atS: number): Arrival;
  /** Adds a page of a list. */
  page(path: string, at: [number, number], data: { id: string }[], next_cursor: string | null): Operation;
}

/** An empty history, with an account `acc` and an API key `key`. */
export function handMade(): HandMade {
  const history: History = { operations: [], arrivals: [], revocations: [], disturbances: [] };
  const request: HandMade["request"] = (line, [startS, endS], { data, ...answer } = {}) => {
    const [method = "", path = "", idempotencyKey] = line.split(" ");
    const operation: Operation = {
      gateway: 0,
      account: "acc",
      apiKey: "key",
      method: method as Operation["method"],
      path,
      ...(idempotencyKey ? { idempotencyKey } : {}),
      startMs: startS * 1000,
      endMs: endS * 1000,
      status: 200,
      replayed: false,
      text: data === undefined ? "" : JSON.stringify({ data }),
      ...answer,
    };
    history.operations.push(operation);
    return operation;
  };
  return {
    ...history,
    request,
    page: (path, at, data, next_cursor) =>
      request(`GET ${path}`, at, { text: JSON.stringify({ data, next_cursor }), walk: 1 }),
    event(type, data, atS) {
      const eventId = `evt_${type}_${data.id}`;
      const arrival = { account: "acc", eventId, atMs: atS * 1000, text: JSON.stringify({ id: eventId, type, data }) };
      history.arrivals.push(arrival);
      return arrival;
    },
  };
}

export const order = (id: string, reference = "r") => ({ id, object: "order", status: "received", reference });
export const shipment = (status = "draft") => ({ id: "shp_1", object: "shipment", status, reference: "r" });
export const label = (voided_at?: string) => ({
  id: "lbl_1",
  object: "label",
  shipment_id: "shp_1",
  status: voided_at === undefined ? "created" : "voided",
  tracking_number: "TEST1",
  ...(voided_at === undefined ? {} : { voided_at }),
});

/** A response with an error of the contract. */
export const refusal = (status: number, code: string) => ({ status, text: JSON.stringify({ error: { code } }) });

/** The end of a request without a response. */
export const LOST = Number.POSITIVE_INFINITY;
