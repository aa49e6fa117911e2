import { randomUUID } from "node:crypto";
import type { Scope } from "@shipping/api/api-key";
import { webhookInput } from "@shipping/api/examples";
import { BASE_PATH, type Operation, pathWith, type WriteOperation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import type { Environment } from "@shipping/kit/caller";
import { eventually } from "@shipping/kit/testing/eventually";
import { type ApiAnswer, dataOf, refusal } from "../platform/api-client.js";
import type { Stack } from "../platform/stack.js";
import { type Sending, sendTo } from "./wire.js";

/** A customer with one key. Requests are sent without changes. */
export interface Customer {
  accountId: string;
  keyId: string;
  key: string;
  /** Sends a request below the base path. */
  send<Data = Resource>(method: string, path: string, sending?: Sending): Promise<ApiAnswer<Data>>;
  /** The same through another replica. */
  through(baseUrl: string): Customer;
}

/** Members that all resources have, as far as these tests read them. */
export interface Resource {
  id: string;
  status: string;
  secret?: string;
  tracking_number?: string;
}

/** A request to which an operation responds with its success. */
export interface Asked {
  method: Operation["method"];
  path: string;
  body?: unknown;
}

/** Writes, which take an Idempotency-Key. */
export const writes = operations.filter((route): route is WriteOperation => route.method !== "GET");
/** Writes that take a body. */
export const posts = writes.filter((route) => route.method === "POST");

/** An operation's place in the specification's table. */
export const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

/** A customer with a key of a new account, or of an existing one. The key has every scope unless the options say otherwise. */
export async function newCustomer(
  stack: Stack,
  options: { environment?: Environment; accountId?: string; scopes?: readonly Scope[] } = {},
): Promise<Customer> {
  const { environment = "sandbox", scopes } = options;
  const accountId = options.accountId ?? (await stack.newAccount());
  const { id: keyId, key } = await stack.newKey(accountId, environment, { ...(scopes && { scopes }) });
  const through = (baseUrl: string): Customer => ({
    accountId,
    keyId,
    key,
    through,
    send: (method, path, sending) =>
      sendTo(Number(new URL(baseUrl).port), method, BASE_PATH + path, { key, ...sending }),
  });
  return through(stack.baseUrl);
}

const address = { name: "Zoë Martin", street1: "8 Rue de la Paix", city: "Paris", postal_code: "75002", country: "FR" };

/** A body for orders and shipments. */
export const record = {
  reference: "PO-1042",
  from: address,
  to: { ...address, name: "Warehouse 7" },
  parcel: { weight_kg: 1.5, length_cm: 30, width_cm: 20, height_cm: 10 },
};

/** Sends the request of an operation, with a fresh Idempotency-Key if it needs one. */
export function ask<Data = Resource>(
  customer: Customer,
  { method, path, body }: Asked,
  sending: Sending = {},
): Promise<ApiAnswer<Data>> {
  const isWrite = method !== "GET";
  return customer.send(method, path, {
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...sending,
    headers: { ...(isWrite && { "Idempotency-Key": randomUUID() }), ...sending.headers },
  });
}

/** Creates a resource and yields it. */
export function create(customer: Customer, path: string, body: unknown): Promise<Resource> {
  return dataOf(201, ask(customer, { method: "POST", path, body }));
}

/** The POSTs that create a resource, with the resource's ID in the examples. */
const makers = posts
  .filter(({ id, body }) => id === undefined && body !== undefined)
  .map((route) => ({ route, example: (route.example.data ?? {}) as Partial<Resource> }));

// A URL without a listener, so that a delivery fails at once.
const NOBODY = "http://127.0.0.1:9/hook";

/**
 * A request to which the operation responds with its success, once: its example. The resources that it names, or that a read of it shows, are
 * created with the customer's key; `ids` maps the IDs of the examples to the real ones.
 */
export async function goodRequest(
  customer: Customer,
  route: Operation,
  ids = new Map([[webhookInput.url, NOBODY]]),
): Promise<Asked> {
  const { id = "", body, data } = route.example;
  const asked = { method: route.method, path: pathWith(route, id), body };
  const named = JSON.stringify([asked, route.method === "GET" && id !== "" && data]);
  for (const maker of makers) {
    const names = (["id", "tracking_number"] as const).filter((name) => named.includes(maker.example[name] ?? "\0"));
    if (names.length === 0 || ids.has(maker.example.id ?? "")) continue;
    const made = await dataOf(201, ask(customer, await goodRequest(customer, maker.route, ids)));
    for (const name of names) ids.set(maker.example[name] ?? "\0", made[name] ?? "");
  }
  return JSON.parse([...ids].reduce((text, [there, here]) => text.replaceAll(there, here), JSON.stringify(asked)));
}

/** Valid requests that are made once each, for tests in which they are refused. They have no effect, so they stay valid. */
export function keptRequests(customer: () => Customer): (route: Operation) => Promise<Asked> {
  const kept = new Map<Operation, Promise<Asked>>();
  return (route) => {
    const asked = kept.get(route) ?? goodRequest(customer(), route);
    kept.set(route, asked);
    return asked;
  };
}

/** A request of the operation's form that names no existing resource, for errors that are found before its lookup. */
export function formOf(route: Operation): Asked {
  return { method: route.method, path: pathWith(route, "x"), ...(route.method === "POST" && { body: {} }) };
}

/** A response as text: `201`, or `404 not_found` after checking that it is the error object. */
export function told(answer: ApiAnswer<unknown>): string {
  return answer.status < 400 ? String(answer.status) : refusal(answer);
}

/** The responses of several operations by name. */
export async function ofEach<R extends Operation, T>(rows: readonly R[], answer: (route: R) => Promise<T>) {
  return Object.fromEntries(
    await Promise.all(rows.map(async (route) => [nameOf(route), await answer(route)] as const)),
  );
}

/** The same response for each of these names. */
export function allOf<T>(rows: readonly Operation[], answer: T | ((route: Operation) => T)): Record<string, T> {
  const value = (route: Operation) => (answer instanceof Function ? answer(route) : answer);
  return Object.fromEntries(rows.map((route) => [nameOf(route), value(route)]));
}

/**
 * Fills the pools of every replica before a burst in which no request may be refused: on a busy machine a new connection can take longer than a
 * request may wait for one.
 */
export async function warmUp(stack: Stack): Promise<void> {
  const attempt = async () => {
    const customer = await newCustomer(stack);
    const reads = stack.baseUrls.flatMap((baseUrl) =>
      Array.from({ length: 20 }, (_, n) => customer.through(baseUrl).send("GET", n % 2 ? "/orders" : "/webhooks")),
    );
    for (const answer of await Promise.all(reads)) expect(told(answer)).toBe("200");
  };
  await eventually(attempt);
}

const SERVICES: Readonly<Record<string, string>> = {
  ...{ account: "gateway", orders: "records", shipments: "records", rates: "carrier", labels: "carrier" },
  ...{ tracking: "tracking", webhooks: "webhooks" },
};

/** The part that answers an operation. */
export function serviceOf({ path }: Pick<Operation, "path">): string {
  return SERVICES[path.split("/")[1]!]!;
}
