import type * as schemas from "@shipping/api/input/schemas";
import type * as resources from "@shipping/api/resources";
import type { EventType } from "@shipping/proto/event-types";
import { expectTypeOf } from "expect-type";
import type * as client from "shipping-client";
import type { z } from "zod";

/**
 * A type without the differences in notation: whether an optional member may also hold undefined, which JSON omits, and whether `metadata` is any
 * JSON object or an unknown one.
 */
type Loose<T> = T extends string
  ? T
  : T extends readonly (infer Item)[]
    ? Loose<Item>[]
    : T extends object
      ? { [Name in keyof T]: Name extends "metadata" ? "metadata" : Loose<Exclude<T[Name], undefined>> }
      : T;

/** The client's type of the values that a schema accepts. */
type Of<Schema extends z.ZodType> = Loose<z.input<Schema>>;

/** A type whose values may get others later, except members that discriminate between kinds of objects. */
type Open<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : unknown extends T
        ? T
        : { [Name in keyof T]: Name extends "object" | "type" ? T[Name] : Open<T[Name]> };

/** The client's type of a response with this schema. */
type Answer<Schema extends z.ZodType> = Open<Of<Schema>>;

// `tsc` checks these types; Jest only runs them.
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
