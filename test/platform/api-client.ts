import { randomUUID } from "node:crypto";

// The specification's resources, transcribed from its tables, so that the tests check the platform against them, not against its own types.

export interface Address {
  name: string;
  street1: string;
  city: string;
  postal_code: string;
  country: string;
  company?: string;
  street2?: string;
  state?: string;
  email?: string;
  phone?: string;
}

export interface Order {
  id: string;
  object: "order";
  status: "received";
  reference: string;
  from: Address;
  to: Address;
  parcel: { weight_kg: number; length_cm: number; width_cm: number; height_cm: number };
  metadata?: Record<string, unknown>;
  livemode: boolean;
  created_at: string;
}

export interface Shipment extends Omit<Order, "object" | "status"> {
  object: "shipment";
  status: "draft" | "label_created" | "voided";
  order_id?: string;
  label_id?: string;
}

export interface Rate {
  id: string;
  shipment_id: string;
}

export interface Label {
  id: string;
  object: "label";
  shipment_id: string;
  status: "created" | "voided";
  tracking_number: string;
  download_path: string;
  created_at: string;
  voided_at?: string;
}

export interface Tracking {
  status: "pre_transit" | "voided";
  updated_at: string;
}

export interface Webhook {
  id: string;
  object: "webhook";
  url: string;
  events: string[];
  status: "active" | "disabled";
  livemode: boolean;
  secret?: string;
  created_at: string;
  disabled_at?: string;
}

/** The content of a body depends on the status. The tests check the status first. */
export interface Body<Data> {
  data: Data;
  next_cursor: string | null;
  error: { code: string; message: string; request_id: string; fields?: { path: string; message: string }[] };
}

export interface ApiAnswer<Data> {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** The JSON of the response; undefined for a file. */
  body: Body<Data>;
}

/** A request on the wire. */
export interface Sending {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** The API as the holder of one key calls it. */
export interface ApiClient {
  get<Data>(path: string): Promise<ApiAnswer<Data>>;
  /** Sends the body as JSON; a string is JSON text already. The default idempotency key is new. */
  post<Data>(path: string, body: unknown, idempotencyKey?: string): Promise<ApiAnswer<Data>>;
  delete<Data>(path: string, idempotencyKey?: string): Promise<ApiAnswer<Data>>;
  /** Sends only this request and the key. */
  send<Data>(sending: Sending): Promise<ApiAnswer<Data>>;
}

/** Calls the API below `baseUrl`, with a key or without one. */
export function apiClient(baseUrl: string, key?: string): ApiClient {
  const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };

  async function send<Data>({ method, path, headers, body }: Sending): Promise<ApiAnswer<Data>> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...authorization, ...headers },
      // Sent as bytes, because fetch adds a content type to a string.
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get("content-type") === "application/json";
    const parsed = isJson ? JSON.parse(bytes.toString()) : undefined;
    return { status: response.status, headers: response.headers, bytes, body: parsed };
  }

  return {
    send,
    get: (path) => send({ method: "GET", path }),
    delete: (path, idempotencyKey = randomUUID()) =>
      send({ method: "DELETE", path, headers: { "idempotency-key": idempotencyKey } }),
    post(path, body, idempotencyKey = randomUUID()) {
      const headers = { "idempotency-key": idempotencyKey, "content-type": "application/json" };
      return send({ method: "POST", path, headers, body: typeof body === "string" ? body : JSON.stringify(body) });
    },
  };
}

/** Repeats a request while the response is 503, as a client does: with many at once, a busy machine may refuse some. */
export async function patiently<Data>(request: () => Promise<ApiAnswer<Data>>): Promise<ApiAnswer<Data>> {
  for (let tries = 1; ; tries++) {
    const answer = await request();
    if (answer.status !== 503 || tries === 10) return answer;
  }
}

/** The data of a response with the required status. */
export async function dataOf<Data>(status: number, answer: Promise<ApiAnswer<Data>>): Promise<Data> {
  const { status: answered, bytes, body } = await answer;
  if (answered !== status) throw new Error(`Expected ${status}, but it is ${answered}: ${bytes.toString()}`);
  return body.data;
}

/** An error in one line, fields in order: `422 invalid_request from.name to.zip`. Its body is the error object and nothing more. */
export function refusal({ status, headers, bytes, body }: ApiAnswer<unknown>): string {
  if (!body?.error) throw new Error(`Expected a refusal, but it is ${status}: ${bytes.toString("latin1", 0, 500)}`);
  const { code, message, fields } = body.error;
  expect(body).toEqual({
    error: {
      code: expect.any(String),
      message: expect.stringMatching(/\S/),
      request_id: headers.get("x-request-id"),
      ...(status === 422 ? { fields: expect.any(Array) } : {}),
    },
  });
  for (const field of fields ?? []) {
    expect(field).toEqual({ path: expect.stringMatching(/\S/), message: expect.stringMatching(/\S/) });
    expect(message).toContain(field.path);
  }
  const paths = (fields ?? []).map(({ path }) => path).sort();
  return [status, code, ...paths].join(" ");
}
