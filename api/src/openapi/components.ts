import { type ErrorCode, errors } from "@shipping/proto/errors";
import { EVENT_TYPES, type EventType } from "@shipping/proto/event-types";
import { z } from "zod";
import * as examples from "../examples.js";
import * as schemas from "../input/schemas.js";
import * as resources from "../resources.js";

export type JsonSchema = Record<string, unknown>;

const codes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

const errorCode = z.enum(codes).meta({ description: "Error code for programs. It does not change." });

const fieldError = z
  .object({
    path: z.string().meta({ description: "Path of the field, such as `to.country`." }),
    message: z.string().meta({ description: "The rule that the field breaks." }),
  })
  .meta({ description: "An invalid field." });

const error = z
  .object({
    error: z.object({
      code: errorCode,
      message: z.string().meta({ description: "Message for people. It can change." }),
      request_id: z.string().meta({ description: "The same as `X-Request-Id`. Include it when you contact support." }),
      fields: z
        .array(fieldError)
        .meta({ description: "The invalid fields. Only present with status 422." })
        .exactOptional(),
    }),
  })
  .meta({ description: "The body of every error." });

const named = z.registry<{ id: string }>();
const names = Object.entries({
  AddressInput: schemas.address,
  ParcelInput: schemas.parcel,
  MetadataInput: schemas.metadata,
  OrderInput: schemas.orderInput,
  ShipmentInput: schemas.shipmentInput,
  RateInput: schemas.rateInput,
  LabelInput: schemas.labelInput,
  VoidInput: schemas.voidInput,
  WebhookInput: schemas.webhookInput,
  Account: resources.account,
  Address: resources.address,
  Parcel: resources.parcel,
  Metadata: resources.metadata,
  Order: resources.order,
  Shipment: resources.shipment,
  Rate: resources.rate,
  Label: resources.label,
  Tracking: resources.tracking,
  Webhook: resources.webhook,
  CreatedWebhook: resources.createdWebhook,
  ...Object.fromEntries(EVENT_TYPES.map((type) => [eventName(type), resources.events[type]])),
  ErrorCode: errorCode,
  FieldError: fieldError,
  Error: error,
});
/** `LabelCreatedEvent` for `label.created`. */
function eventName(type: EventType): string {
  return `${type.replace(/(?:^|\.)(\w)/g, (_, letter) => letter.toUpperCase())}Event`;
}

for (const [id, schema] of names) named.add(schema, { id });

export function componentSchemas(): Record<string, JsonSchema> {
  const options = { uri: refTo, io: "input", unrepresentable: "any", override: sayDouble } as const;
  const { schemas: made } = z.toJSONSchema(named, options);
  const all: Record<string, JsonSchema> = Object.fromEntries(
    Object.entries(made).map(([id, { $schema, $id, ...schema }]) => [id, id.endsWith("Input") ? schema : open(schema)]),
  );
  // These schemas are not under `webhooks`, for which client generators write code that does not compile.
  for (const type of EVENT_TYPES) Object.assign(all[eventName(type)] ?? {}, { examples: [examples.events[type]] });
  return all;
}

/** Generated clients take a number without a format for a 32-bit float or a decimal, which some of them send as text. */
function sayDouble({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.type === "number") jsonSchema.format = "double";
}

/**
 * The schema of a response without the rules that later responses may break (docs/versioning.md), so that a client generated from it accepts members
 * and values that do not exist yet. `x-extensible-enum` has today's values.
 */
function open(schema: JsonSchema): JsonSchema {
  const {
    type,
    const: only,
    enum: values = typeof only === "string" ? [only] : undefined,
    description,
    properties,
    required,
    items,
    $ref,
    format,
  } = schema;
  const all = {
    $ref,
    type,
    format,
    description,
    "x-extensible-enum": values,
    properties: properties && mapValues(properties as Record<string, JsonSchema>, open),
    required,
    items: items && open(items as JsonSchema),
    additionalProperties: type === "object" ? true : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function mapValues<From, To>(object: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

export function schemaName(schema: z.ZodType): string {
  const id = named.get(schema)?.id;
  if (!id) throw new Error("The schema has no name in the OpenAPI document.");
  return id;
}

export function schemaRef(schema: z.ZodType): JsonSchema {
  return { $ref: refTo(schemaName(schema)) };
}

export const errorRef: JsonSchema = { $ref: refTo("Error") };

export function refTo(id: string): string {
  return `#/components/schemas/${id}`;
}

export function parameterSchema(schema: z.ZodType): JsonSchema {
  const { $schema, ...made } = z.toJSONSchema(schema);
  return made;
}

const text = (description: string) => ({ description, schema: { type: "string" } });

export const headers = {
  "X-Request-Id": text("ID of the request. Every response has one."),
  RateLimit: text(
    '`"default";r=…;t=…`: the number of requests left, and the seconds until the oldest counted request leaves the window.',
  ),
  "RateLimit-Policy": text(
    '`"default";q=120;w=60`: the number of requests allowed, and the length of the window in seconds.',
  ),
  "Idempotency-Replayed": text("`true` if this is the stored response to an earlier request with the same key."),
  "Content-Disposition": text("The name of the file: the tracking number."),
  ETag: text("Identifies the bytes of the file, which never change."),
  "Retry-After": text("Seconds to wait before you retry."),
  "WWW-Authenticate": text("`Bearer`."),
} as const;

/** References to the headers of a response; every response has `X-Request-Id`. */
export function headerRefs(names: readonly (keyof typeof headers)[]) {
  const all = ["X-Request-Id", ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: true,
  description:
    "Identifies the operation. If you repeat the request with the same key, it is executed only once and you get the original response.",
  schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[ -~]+$" },
  example: "0f8fad5b-d9cb-469f-a165-70867728950e",
} as const;
