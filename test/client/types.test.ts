import type * as resources from "@shipping/gateway/api/resources";
import type * as schemas from "@shipping/gateway/input/schemas";
import type { EventType } from "@shipping/gateway/input/schemas";
import { expectTypeOf } from "expect-type";
import type * as client from "shipping-client";
import type { z } from "zod";

/**
 * A type without what the two say in their own ways: whether an optional member may also hold undefined, which JSON leaves out, and what
 * `metadata` holds, which is any JSON object to the one and an unknown one to the other.
 */
type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [Name in keyof T]: Name extends "metadata" ? "metadata" : Loose<Exclude<T[Name], undefined>> }
    : T;

/** The client's type of what a schema takes, or answers. */
type Of<Schema extends z.ZodType> = Loose<z.input<Schema>>;

// `tsc` is what checks these.
const equal = {
  inputs() {
    expectTypeOf<Loose<client.Address>>().toEqualTypeOf<Of<typeof schemas.address>>();
    expectTypeOf<Loose<client.Parcel>>().toEqualTypeOf<Of<typeof schemas.parcel>>();
    expectTypeOf<Loose<client.OrderInput>>().toEqualTypeOf<Of<typeof schemas.orderInput>>();
    expectTypeOf<Loose<client.ShipmentInput>>().toEqualTypeOf<Of<typeof schemas.shipmentInput>>();
    expectTypeOf<Loose<client.RateInput>>().toEqualTypeOf<Of<typeof schemas.rateInput>>();
    expectTypeOf<Loose<client.LabelInput>>().toEqualTypeOf<Of<typeof schemas.labelInput>>();
    expectTypeOf<Loose<client.WebhookInput>>().toEqualTypeOf<Of<typeof schemas.webhookInput>>();
  },
  answers() {
    expectTypeOf<Loose<client.Account>>().toEqualTypeOf<Of<typeof resources.account>>();
    expectTypeOf<Loose<client.Order>>().toEqualTypeOf<Of<typeof resources.order>>();
    expectTypeOf<Loose<client.Shipment>>().toEqualTypeOf<Of<typeof resources.shipment>>();
    expectTypeOf<Loose<client.Rate>>().toEqualTypeOf<Of<typeof resources.rate>>();
    expectTypeOf<Loose<client.Label>>().toEqualTypeOf<Of<typeof resources.label>>();
    expectTypeOf<Loose<client.Tracking>>().toEqualTypeOf<Of<typeof resources.tracking>>();
    expectTypeOf<Loose<client.Webhook>>().toEqualTypeOf<Of<typeof resources.webhook>>();
    expectTypeOf<Loose<client.CreatedWebhook>>().toEqualTypeOf<Of<typeof resources.createdWebhook>>();
    expectTypeOf<Loose<client.WebhookEvent>>().toEqualTypeOf<Of<(typeof resources.events)[EventType]>>();
  },
};

test("the client's types are what the gateway's schemas take and answer", () => {
  expect(Object.keys(equal)).toEqual(["inputs", "answers"]);
});
