import { randomUUID } from "node:crypto";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import {
  type ApiClient,
  apiClient,
  dataOf,
  type Label,
  type Order,
  patiently,
  type Shipment,
  type Webhook,
} from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";

/** An account of its own, with a key for each environment. */
export interface Customer {
  accountId: string;
  sandbox: ApiClient;
  live: ApiClient;
}

/** The platform that the tests of one file share. */
export interface Platform {
  /** A customer that only the caller's test uses. */
  customer(): Promise<Customer>;
  /** The sandbox of such a customer. */
  sandbox(): Promise<ApiClient>;
}

/** The platform that the files of this worker share. */
export function usePlatform(): Platform {
  let stack: Stack;
  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterAll(() => stack.stop());

  const apiOf = (key?: string) => apiClient(stack.baseUrl, key);

  async function customer(): Promise<Customer> {
    const { accountId, sandbox, live } = await stack.newCustomer();
    return { accountId, sandbox: apiOf(sandbox), live: apiOf(live) };
  }

  return {
    customer,
    sandbox: async () => (await customer()).sandbox,
  };
}

const from = { name: "Warehouse 7", street1: "Hafenstraße 12", city: "Hamburg", postal_code: "20457", country: "DE" };
const to = { name: "Zofia Wójcik", street1: "ul. Długa 7/3", city: "Kraków", postal_code: "31-147", country: "PL" };

/** The required fields of an order or a shipment, without the optional ones. */
export const RECORD = {
  reference: "PO-1",
  from,
  to,
  parcel: { weight_kg: 1.25, length_cm: 30, width_cm: 20, height_cm: 12.5 },
};

/** The same with all optional fields that orders and shipments share. */
export const FULL_RECORD = {
  ...RECORD,
  from: { ...from, company: "Nordlicht GmbH", street2: "Tor 3", state: "HH", email: "a@b.example", phone: "+49 40 1" },
  metadata: { lines: [1, { sku: "A-1" }], gift: true, note: null },
};

/** A time as the API writes it. */
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** An opaque id of a resource. */
export const idLike = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[a-z2-7]{26}$`));

/** A well-formed ID that no resource has. */
export const missingId = (prefix: string) => `${prefix}_${"a".repeat(26)}`;

function create<Data>(
  api: ApiClient,
  path: string,
  body: object,
  idempotencyKey: string = randomUUID(),
): Promise<Data> {
  return dataOf(
    201,
    patiently(() => api.post<Data>(path, body, idempotencyKey)),
  );
}

export const createOrder = (api: ApiClient, change: object = {}) =>
  create<Order>(api, "/orders", { ...RECORD, ...change });

export const createShipment = (api: ApiClient, change: object = {}) =>
  create<Shipment>(api, "/shipments", { ...RECORD, ...change });

/** The body of POST /labels for a shipment. */
export const labelInput = (shipmentId: string) => ({ shipment_id: shipmentId, rate_id: `rate_test_${shipmentId}` });

/** A label, with a shipment of its own. */
export const createLabel = async (api: ApiClient, change: object = {}) =>
  create<Label>(api, "/labels", labelInput((await createShipment(api, change)).id));

export const voidLabel = (api: ApiClient, id: string, idempotencyKey?: string) =>
  dataOf(200, api.post<Label>(`/labels/${id}/void`, {}, idempotencyKey));

export const EVENTS: string[] = EVENT_TYPES;

/** A subscription to all events, or to these. */
export const createWebhook = (api: ApiClient, url = "https://hooks.example.com/", events = EVENTS) =>
  create<Webhook>(api, "/webhooks", { url, events });
