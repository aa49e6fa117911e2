import {
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type ResponseInfo,
  ServerError,
  Shipping,
  type ShippingError,
} from "shipping-client";
import { type Stack, sharedStack } from "../platform/stack.js";

const address = { name: "A", street1: "B 1", city: "Bremen", postal_code: "28195", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 };
const input = { reference: "PO-1", from: address, to: address, parcel };

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => stack.stop());

const clientOf = (apiKey: string) => new Shipping({ apiKey, baseUrl: stack.baseUrl });

describe("the client and the platform", () => {
  test("toArray reads over the borders of pages, up to max", async () => {
    const { orders } = clientOf((await stack.newCustomer()).sandbox);
    for (let n = 0; n < 5; n++) await orders.create(input);
    const all = await orders.list({ limit: 2 }).toArray({ max: 100 });
    expect(all).toHaveLength(5);
    expect(await orders.list({ limit: 2 }).toArray({ max: 3 })).toEqual(all.slice(0, 3));
    expect(await orders.list({ after: all[1]?.id }).toArray({ max: 100 })).toEqual(all.slice(2));
  });

  test("a refusal is of the class of its kind", async () => {
    const { accountId, sandbox, live } = await stack.newCustomer();
    const shipping = clientOf(sandbox);
    const { key: reader } = await stack.newKey(accountId, "sandbox", { scopes: ["orders:read"] });
    await shipping.shipments.create(input, { idempotencyKey: "one" });
    const draft = await clientOf(live).shipments.create(input);
    const refusals: [call: () => Promise<unknown>, kind: typeof ShippingError, code: string][] = [
      [() => clientOf("service_test_x").account.get(), AuthenticationError, "unauthorized"],
      [() => clientOf(reader).orders.create(input), PermissionError, "missing_scope"],
      [() => shipping.labels.get("lbl_x"), NotFoundError, "not_found"],
      [() => shipping.orders.create(input, { idempotencyKey: "one" }), ConflictError, "idempotency_conflict"],
      [() => shipping.rates.create({ shipment_id: "" }), InvalidRequestError, "invalid_request"],
      [() => clientOf(live).rates.create({ shipment_id: draft.id }), ServerError, "carrier_not_configured"],
    ];
    for (const [call, kind, code] of refusals) {
      const error = await call().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code });
      expect(error).toBeInstanceOf(kind);
    }
  });

  test("a call without retries is told at once of its rate limit, and a hook has its request id", async () => {
    const { sandbox: apiKey } = await stack.newCustomer();
    const told: ResponseInfo[] = [];
    const onResponse = (response: ResponseInfo) => void told.push(response);
    const shipping = new Shipping({ apiKey, baseUrl: stack.baseUrl, onResponse });
    let error: unknown;
    for (let n = 0; n < 500 && !error; n++)
      await shipping.account.get({ retries: 0 }).catch((reason: unknown) => {
        error = reason;
      });
    expect(error).toBeInstanceOf(RateLimitError);
    expect(told.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(error).toMatchObject({ requestId: told.at(-1)?.requestId, status: 429 });
  });
});
