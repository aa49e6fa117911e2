import { expectTypeOf } from "expect-type";
import {
  type Call,
  type CreatedWebhook,
  type Event,
  type Label,
  type LabelEvent,
  type LabelInput,
  NotFoundError,
  type Order,
  type OrderEvent,
  type Rate,
  RateLimitError,
  type Shipment,
  type ShipmentEvent,
  type ShipmentInput,
  Shipping,
  type ShippingError,
  type Webhook,
  type WebhookEvent,
  webhooks,
} from "./shipping.js";

// `tsc` is what checks these: the functions are never called.
const uses = {
  answers(shipping: Shipping) {
    expectTypeOf(shipping.labels.create).returns.toEqualTypeOf<Call<Label>>();
    expectTypeOf(shipping.rates.create).returns.resolves.toEqualTypeOf<Rate[]>();
    expectTypeOf(shipping.labels.file).returns.resolves.toEqualTypeOf<Uint8Array>();
    expectTypeOf(shipping.webhooks.create).returns.resolves.toEqualTypeOf<CreatedWebhook>();
    expectTypeOf<Omit<CreatedWebhook, "secret">>().toEqualTypeOf<Webhook>();
    expectTypeOf<CreatedWebhook["secret"]>().toEqualTypeOf<string>();
    expectTypeOf(shipping.webhooks.get).returns.toEqualTypeOf<Call<Webhook>>();
    expectTypeOf(shipping.shipments.get("x").withResponse()).resolves.toHaveProperty("data").toEqualTypeOf<Shipment>();
    expectTypeOf(shipping.orders.list().page()).resolves.toEqualTypeOf<{ data: Order[]; next_cursor: string | null }>();
    expectTypeOf(shipping.orders.list().toArray({ max: 10 })).resolves.toEqualTypeOf<Order[]>();
    // @ts-expect-error: a list has no end that you know.
    shipping.orders.list().toArray();
  },

  inputs(shipping: Shipping, input: ShipmentInput, company: string | undefined) {
    expectTypeOf<{ shipment_id: string; rate_id: string; format: undefined }>().toExtend<LabelInput>();
    shipping.shipments.create({ ...input, to: { ...input.to, company }, order_id: undefined });
    // @ts-expect-error: an order belongs to no order.
    shipping.orders.create({ ...input, order_id: "ord_1" });
    // @ts-expect-error: a weight is a number.
    shipping.shipments.create({ ...input, parcel: { ...input.parcel, weight_kg: "1" } });
    // @ts-expect-error: no such event type.
    shipping.webhooks.create({ url: "https://hooks.example.com/", events: ["label.printed"] });
    // @ts-expect-error: a read has no idempotency key.
    shipping.labels.get("lbl_1", { idempotencyKey: "x" });
    // @ts-expect-error: what an order was answered with holds more than one may be made of.
    shipping.orders.create({ ...input, status: "received" });
    // @ts-expect-error: a key is a text.
    new Shipping({ apiKey: 7 });
    // The environment has the rest.
    new Shipping({ apiKey: "service_test_…" });
  },

  events(event: WebhookEvent) {
    if (event.type === "order.created") expectTypeOf(event.data).toEqualTypeOf<Order>();
    else if (event.type === "shipment.created") expectTypeOf(event.data).toEqualTypeOf<Shipment>();
    else expectTypeOf(event.data).toEqualTypeOf<Label>();
    expectTypeOf(event).toEqualTypeOf<OrderEvent | ShipmentEvent | LabelEvent>();
    expectTypeOf(event).toEqualTypeOf<Event>();
    expectTypeOf(webhooks.verify).returns.resolves.toEqualTypeOf<WebhookEvent>();
    // @ts-expect-error: a parsed body.
    webhooks.verify({ id: "evt_1" }, "t=1,v1=…", "whsec_…");
  },

  errors(error: ShippingError) {
    const known: string = error.code === "label_exists" ? "known" : error.code;
    const open = error.code === "a_code_of_tomorrow";
    if (error instanceof RateLimitError) expectTypeOf(error.name).toEqualTypeOf<"RateLimitError">();
    // The classes are apart: what is not the one is not lost.
    else if (error instanceof NotFoundError) expectTypeOf(error.name).toEqualTypeOf<"NotFoundError">();
    else expectTypeOf(error).toEqualTypeOf<ShippingError>();
    return { known, open };
  },
};

test("the types of the client say what it takes and answers", () => {
  expect(Object.keys(uses)).toEqual(["answers", "inputs", "events", "errors"]);
});
