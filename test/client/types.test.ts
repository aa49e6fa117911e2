import type * as resources from "@shipping/gateway/api/resources";
import type * as schemas from "@shipping/gateway/input/schemas";
import type { EventType } from "@shipping/proto/event-types";
import { expectTypeOf } from "expect-type";
import type * as client from "shipping-client";
import type { z } from "zod";

/**
 * A type without what the two say in their own ways: whether an optional member may also hold undefined, which JSON leaves out, and what
 * `metadata` holds, which is any JSON object to the one and an unknown one to the other.
 */
type Loose<T> = T extends string
  ? T
  : T extends readonly (infer Item)[]
    ? Loose<Item>[]
    : T extends object
      ? { [Name in keyof T]: Name extends "metadata" ? "metadata" : Loose<Exclude<T[Name], undefined>> }
      : T;

/** The client's type of what a schema takes. */
type Of<Schema extends z.ZodType> = Loose<z.input<Schema>>;

/** A type of which every value may have others later, but those that tell one kind of object from another. */
type Open<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : unknown extends T
        ? T
        : { [Name in keyof T]: Name extends "object" | "type" ? T[Name] : Open<T[Name]> };

/** The client's type of what a schema answers. */
type Answer<Schema extends z.ZodType> = Open<Of<Schema>>;

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
    expectTypeOf<Open<Loose<client.Account>>>().toEqualTypeOf<Answer<typeof resources.account>>();
    expectTypeOf<Open<Loose<client.Order>>>().toEqualTypeOf<Answer<typeof resources.order>>();
    expectTypeOf<Open<Loose<client.Shipment>>>().toEqualTypeOf<Answer<typeof resources.shipment>>();
    expectTypeOf<Open<Loose<client.Rate>>>().toEqualTypeOf<Answer<typeof resources.rate>>();
    expectTypeOf<Open<Loose<client.Label>>>().toEqualTypeOf<Answer<typeof resources.label>>();
    expectTypeOf<Open<Loose<client.Tracking>>>().toEqualTypeOf<Answer<typeof resources.tracking>>();
    expectTypeOf<Open<Loose<client.Webhook>>>().toEqualTypeOf<Answer<typeof resources.webhook>>();
    expectTypeOf<Open<Loose<client.CreatedWebhook>>>().toEqualTypeOf<Answer<typeof resources.createdWebhook>>();
    expectTypeOf<Open<Loose<Exclude<client.WebhookEvent, client.UnknownEvent>>>>().toEqualTypeOf<
      Answer<(typeof resources.events)[EventType]>
    >();
  },
};

test("the client's types are what the gateway's schemas take and answer", () => {
  expect(Object.keys(equal)).toEqual(["inputs", "answers"]);
});
