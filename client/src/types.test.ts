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
  type UnknownEvent,
  type Webhook,
  type WebhookEvent,
  type WebhookInput,
  webhooks,
} from "./shipping.js";

// `tsc` checks these functions, which are never called.
const uses = {
  answers(shipping: Shipping) {
    expectTypeOf(shipping.labels.create).returns.toEqualTypeOf<Call<Label>>();
    expectTypeOf(shipping.rates.create).returns.resolves.toEqualTypeOf<Rate[]>();
    expectTypeOf(shipping.labels.file).returns.resolves.toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    expectTypeOf<Awaited<ReturnType<typeof shipping.labels.file>>>().toExtend<BodyInit & BlobPart>();
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
    // The environment has the other settings.
    new Shipping({ apiKey: "service_test_…" });
  },

  events(event: WebhookEvent) {
    if (event.type === "order.created") expectTypeOf(event.data).toEqualTypeOf<Order>();
    else if (event.type === "shipment.created") expectTypeOf(event.data).toEqualTypeOf<Shipment>();
    else if (event.type === "label.created" || event.type === "label.voided")
      expectTypeOf(event.data).toEqualTypeOf<Label>();
    else {
      const type: string = event.type;
      expectTypeOf([type, event.id]).toEqualTypeOf<string[]>();
    }
    type Subscribable = WebhookInput["events"][number];
    expectTypeOf<Exclude<WebhookEvent, { type: Subscribable }>>().toEqualTypeOf<UnknownEvent>();
    expectTypeOf<Subscribable>().toExtend<WebhookEvent["type"]>();
    expectTypeOf<OrderEvent | ShipmentEvent | LabelEvent>().toExtend<WebhookEvent>();
    expectTypeOf(event).toEqualTypeOf<Event>();
    expectTypeOf(webhooks.verify).returns.resolves.toEqualTypeOf<WebhookEvent>();
    webhooks.verify("{}", "t=1,v1=…", ["whsec_…", "whsec_…"]);
    // @ts-expect-error: a parsed body.
    webhooks.verify({ id: "evt_1" }, "t=1,v1=…", "whsec_…");
  },

  valuesOfTomorrow(rate: Rate, label: Label, shipment: Shipment, webhook: Webhook) {
    const isDhl = label.carrier === "dhl" && rate.service === "express" && rate.currency === "USD";
    const isReal = label.test === false && rate.amount === 0 && label.charge.amount === 7.5;
    const isKnown = shipment.status === "draft" || shipment.status === "lost";
    // @ts-expect-error: what kind of object it is does not change.
    const isOther = label.object === "parcel";
    return { isDhl, isReal, isKnown, isOther, isPrinted: webhook.events.includes("label.printed") };
  },

  errors(error: ShippingError) {
    const known: string = error.code === "label_exists" ? "known" : error.code;
    const open = error.code === "a_code_of_tomorrow";
    if (error instanceof RateLimitError) expectTypeOf(error.name).toEqualTypeOf<"RateLimitError">();
    // The classes are distinguishable: an error that is not of one class keeps its type.
    else if (error instanceof NotFoundError) expectTypeOf(error.name).toEqualTypeOf<"NotFoundError">();
    else expectTypeOf(error).toEqualTypeOf<ShippingError>();
    return { known, open };
  },
};

test("the types of the client say what it takes and answers", () => {
  expect(Object.keys(uses)).toEqual(["answers", "inputs", "events", "valuesOfTomorrow", "errors"]);
});
