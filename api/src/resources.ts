import { EVENT_TYPES, type EventType, eventTypes } from "@shipping/proto/event-types";
import { z } from "zod";
import * as input from "./input/schemas.js";
import { labelId, orderId, shipmentId, trackingNumber, webhookId } from "./input/schemas.js";

// The resources in responses, for the OpenAPI document. The services render them; `test/edge/openapi.test.ts` compares real responses.

const time = (description: string) => z.iso.datetime().meta({ description });
const createdAt = time("ISO 8601 in UTC, with milliseconds.");
const livemode = z.boolean().meta({ description: "True for records of the live environment." });
const test = z.literal(true).meta({ description: "True in the sandbox: not valid postage and not a real quote." });
const carrier = z.literal("service_sandbox");

// These schemas describe what was sent, without the rules of requests: if a rule is relaxed later, responses would break the rule that existing
// clients know.
export const address = z.object(input.address.shape).meta({ description: "A sender or a recipient, as you sent it." });
export const parcel = z.object(input.parcel.shape).meta({ description: "The packed parcel, as you sent it." });
export const metadata = z
  .record(z.string(), z.unknown())
  .meta({ description: "Your own JSON object, as you sent it." });

const record = {
  reference: z.string().meta({ description: "Your own reference." }),
  from: address,
  to: address,
  parcel,
  metadata: metadata.exactOptional(),
};

export const account = z
  .object({
    id: z.string().meta({ description: "ID of the account. Opaque." }),
    object: z.literal("account"),
    name: z.string(),
    environment: z.enum(["sandbox", "live"]).meta({ description: "The environment of the API key." }),
    livemode,
    api_version: z.literal("v1"),
    scopes: z.array(z.string()).meta({ description: "The scopes of the API key." }),
    capabilities: z.object({
      orders: z.boolean(),
      shipments: z.boolean(),
      webhooks: z.boolean(),
      rates: z.boolean(),
      labels: z.boolean(),
      tracking: z.boolean(),
    }),
    limits: z.object({ requests_per_minute: z.int(), active_webhooks: z.int() }),
    created_at: createdAt,
  })
  .meta({ description: "The account that the API key belongs to." });

export const order = z
  .object({
    id: orderId,
    object: z.literal("order"),
    status: z.literal("received"),
    ...record,
    livemode,
    created_at: createdAt,
  })
  .meta({ description: "An order." });

export const shipment = z
  .object({
    id: shipmentId,
    object: z.literal("shipment"),
    status: z.enum(["draft", "label_created", "voided"]),
    ...record,
    order_id: orderId.exactOptional(),
    label_id: labelId.exactOptional(),
    livemode,
    created_at: createdAt,
  })
  .meta({
    description:
      "A shipment of one packed parcel. It has at most one label. Its status follows the state of the label.",
  });

export const rate = z
  .object({
    id: z.string().meta({ description: "`rate_test_` followed by the ID of the shipment." }),
    object: z.literal("rate"),
    shipment_id: shipmentId,
    carrier,
    service: z.literal("sandbox_standard"),
    currency: z.literal("EUR"),
    amount: z.literal(5).meta({ description: "Amount in major units: 5 euros in the sandbox." }),
    test,
  })
  .meta({ description: "A fixed sandbox rate for one shipment." });

export const label = z
  .object({
    id: labelId,
    object: z.literal("label"),
    shipment_id: shipmentId,
    status: z.enum(["created", "voided"]),
    carrier,
    tracking_number: trackingNumber,
    format: z.literal("pdf"),
    download_path: z.string().meta({ description: "Path of the PDF on the API's host." }),
    charge: z.object({
      currency: z.literal("EUR"),
      amount: z.literal(0).meta({ description: "Amount in major units: 0 in the sandbox." }),
    }),
    test,
    created_at: createdAt,
    voided_at: time("Only present after the label was voided.").exactOptional(),
  })
  .meta({ description: "A label. Sandbox labels are not valid postage and are free." });

export const tracking = z
  .object({
    id: trackingNumber,
    object: z.literal("tracking"),
    tracking_number: trackingNumber,
    status: z
      .enum(["pre_transit", "voided"])
      .meta({ description: "`pre_transit`, or `voided` after the label was voided." }),
    carrier,
    label_id: labelId,
    shipment_id: shipmentId,
    events: z.array(z.looseObject({})).meta({ maxItems: 0, description: "Always empty in the sandbox." }),
    test,
    created_at: time("When the label was created."),
    updated_at: time("When the label was last changed."),
  })
  .meta({ description: "The tracking record of a sandbox label. You cannot track it with a carrier." });

export const webhook = z
  .object({
    id: webhookId,
    object: z.literal("webhook"),
    url: z.string(),
    events: z.array(z.enum(EVENT_TYPES)),
    status: z.enum(["active", "disabled"]),
    livemode,
    created_at: createdAt,
    disabled_at: time("Only present after the subscription was disabled.").exactOptional(),
  })
  .meta({ description: "A webhook subscription." });

export const createdWebhook = webhook
  .extend({
    secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
      .meta({ description: "The secret that signs every delivery. Only this response contains it." }),
  })
  .meta({ description: "A new webhook subscription, with its secret." });

const resources = { order, shipment, label };
type Carried<Type extends EventType> = (typeof resources)[(typeof eventTypes)[Type]["resource"]];

function eventSchema<const Type extends EventType>(type: Type) {
  const { resource, description } = eventTypes[type];
  return z
    .object({
      id: z
        .string()
        .meta({ description: "ID of the event, the same in every delivery of this event. Starts with `evt_`." }),
      type: z.literal(type),
      livemode: z.boolean().meta({ description: "False in the sandbox, true in live." }),
      created_at: time("Time of the event: ISO 8601 in UTC, with milliseconds."),
      data: resources[resource] as Carried<Type>,
    })
    .meta({ description });
}

/** The payloads of deliveries, by event type. */
export const events = Object.fromEntries(EVENT_TYPES.map((type) => [type, eventSchema(type)])) as {
  [Type in EventType]: ReturnType<typeof eventSchema<Type>>;
};
