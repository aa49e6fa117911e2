import { create, toJson } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { createRouterTransport, type Interceptor } from "@connectrpc/connect";
import type { Admission } from "../../admission/admit.js";
import { examples } from "../../openapi/examples.js";
import { createClients } from "../../owners/clients.js";
import type { EndpointDeps } from "../deps.js";
import { routes } from "./endpoints.js";

const caller = { accountId: "acc_a", environment: "sandbox" } as const;
const claim = { idempotencyKey: "key", token: 7n, fingerprint: new Uint8Array(32) };
const actor = { name: "key_a", source: "192.0.2.1" };
const claimJson = { idempotency_key: "key", token: "7", fingerprint: expect.any(String) };
const query = { limit: 10, after: "x_after" };

const asked: [rpc: string, request: unknown, requestId: string | null][] = [];

/** Notes a call down and answers a message whose fields are there, but empty. */
const note: Interceptor = () => async (call) => {
  if (call.stream) throw new Error("No RPC of these streams.");
  const { service, method } = call;
  const request = toJson(method.input, call.message, { useProtoFieldName: true });
  asked.push([`${service.name}.${method.name}`, request, call.header.get("x-request-id")]);
  const message = create(method.output);
  for (const field of method.output.fields) {
    if (field.fieldKind === "message") reflect(method.output, message).set(field, reflect(field.message));
  }
  return { stream: false, service, method, header: new Headers(), trailer: new Headers(), message };
};

const transport = createRouterTransport(() => {}, { transport: { interceptors: [note] } });
const clients = createClients({ records: transport, carrier: transport, tracking: transport, webhooks: transport });
const deps = { clients } as EndpointDeps;

/** What the service behind an operation is asked when a client sends the example of the OpenAPI document. */
async function requestOf(name: string) {
  asked.length = 0;
  const route = routes.find(({ handler }) => handler.name === name);
  const options = { headers: { "x-request-id": "req_a" } };
  if (route?.method === "GET") {
    await route.handler(deps, { caller, admission: {} as Admission, id: "x_id", query }, options);
  } else {
    await route?.handler(deps, { caller, claim, actor, id: "x_id", input: examples[name]?.body }, options);
  }
  expect(asked).toHaveLength(1);
  const [rpc, request, requestId] = asked[0] ?? [];
  expect(requestId).toBe("req_a");
  return [rpc, request];
}

const callerJson = { account_id: "acc_a", environment: "sandbox" };
const order = examples.createOrder?.body as Record<string, object>;
const sharedFields = { ...order, metadata: { text: JSON.stringify(order.metadata) } };
const shipment = examples.createShipment?.body as { order_id: string };
const label = examples.createLabel?.body as { shipment_id: string; rate_id: string };

describe("each operation is one RPC of its own name", () => {
  test.each([
    ["createOrder", "RecordsService.CreateOrder", sharedFields],
    ["createShipment", "RecordsService.CreateShipment", { ...sharedFields, order_id: shipment.order_id }],
    ["quoteRates", "CarrierService.QuoteRates", examples.quoteRates?.body as object],
    ["createLabel", "CarrierService.CreateLabel", { shipment_id: label.shipment_id, rate_id: label.rate_id }],
    ["voidLabel", "CarrierService.VoidLabel", { id: "x_id" }],
    [
      "createSubscription",
      "WebhooksService.CreateSubscription",
      { ...(examples.createSubscription?.body as object), actor },
    ],
    ["disableSubscription", "WebhooksService.DisableSubscription", { id: "x_id", actor }],
  ])("%s asks %s under its claim", async (name, rpc, fields) => {
    expect(await requestOf(name)).toEqual([rpc, { caller: callerJson, claim: claimJson, ...fields }]);
  });

  test.each([
    ["getOrder", "RecordsService.GetOrder", { id: "x_id" }],
    ["listOrders", "RecordsService.ListOrders", query],
    ["getShipment", "RecordsService.GetShipment", { id: "x_id" }],
    ["listShipments", "RecordsService.ListShipments", query],
    ["getLabel", "CarrierService.GetLabel", { id: "x_id" }],
    ["listLabels", "CarrierService.ListLabels", query],
    ["getLabelFile", "CarrierService.GetLabelFile", { id: "x_id" }],
    ["getTracking", "TrackingService.GetTracking", { tracking_number: "x_id" }],
    ["getSubscription", "WebhooksService.GetSubscription", { id: "x_id" }],
    ["listSubscriptions", "WebhooksService.ListSubscriptions", query],
  ])("%s asks %s", async (name, rpc, fields) => {
    expect(await requestOf(name)).toEqual([rpc, { caller: callerJson, ...fields }]);
  });
});
