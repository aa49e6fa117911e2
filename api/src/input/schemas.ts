import { EVENT_TYPES, type EventType, SOME_EVENT_TYPES } from "@shipping/proto/event-types";
import { z } from "zod";
import {
  isNoValue,
  measure,
  NULL,
  opaque,
  optionalText,
  REQUIRED,
  requiredText,
  resourceId,
  rule,
  ruleOfObjects,
} from "./rules.js";
import { isClean, isWithin, urlForm } from "./text.js";

// The schemas of the public input, field by field. They validate requests and describe them in the OpenAPI document.

export const orderId = resourceId("ord", "an order");
export const shipmentId = resourceId("shp", "a shipment");
export const labelId = resourceId("lbl", "a label");
export const webhookId = resourceId("whk", "a webhook subscription");
const ABOUT_TRACKING_NUMBERS = "Tracking number of the label. In the sandbox, it starts with `TEST`.";
export const trackingNumber = z
  .string()
  .regex(/^TEST[0-9A-Z]{1,60}$/)
  .meta({ description: ABOUT_TRACKING_NUMBERS });
/** The tracking number in a path can be of any carrier. No carrier's tracking number is longer. */
export const anyTrackingNumber = opaque(
  z.string().refine((text) => /^[0-9A-Za-z-]{1,64}$/.test(text)),
  ABOUT_TRACKING_NUMBERS,
);

export const address = z
  .strictObject(
    {
      name: requiredText("Name of the person or company.", 200),
      street1: requiredText("Street and house number.", 200),
      city: requiredText("City.", 200),
      postal_code: requiredText("Postal code, or `-` where the country has none.", 200),
      country: z
        .string(rule("must be a two-letter country code in upper case"))
        .regex(/^[A-Z]{2}$/, "must be a two-letter country code in upper case")
        .meta({ description: "Two-letter country code in upper case, such as `DE`." }),
      company: optionalText("Company.", 200),
      street2: optionalText("Additional address line.", 200),
      state: optionalText("State or province.", 200),
      email: optionalText("Email address; only its length is checked.", 200),
      phone: optionalText("Phone number. Only the length is checked.", 200),
    },
    ruleOfObjects(),
  )
  .meta({ description: "A sender or a recipient." });

export const parcel = z
  .strictObject(
    {
      weight_kg: measure("Weight in kilograms."),
      length_cm: measure("Length in centimetres."),
      width_cm: measure("Width in centimetres."),
      height_cm: measure("Height in centimetres."),
    },
    ruleOfObjects(),
  )
  .meta({ description: "The packed parcel. These limits do not guarantee that a carrier accepts it." });

const METADATA_MAX_CHARACTERS = 4096;
const METADATA_MAX_LEVELS = 16;

/** Checks a value as `metadata`, and returns its fault, or undefined if it is valid. Its size is the length of its `JSON.stringify` text. */
export function metadataFault(value: unknown): string | undefined {
  if (value === null) return NULL;
  if (typeof value !== "object" || Array.isArray(value)) return ruleOfObjects().error({ input: value });
  return (
    findFault(value, METADATA_MAX_LEVELS) ??
    (isWithin(JSON.stringify(value), METADATA_MAX_CHARACTERS)
      ? undefined
      : `must have at most ${METADATA_MAX_CHARACTERS} characters when serialized`)
  );
}

function findFault(value: unknown, levelsLeft: number): string | undefined {
  if (typeof value === "string" && !isClean(value)) return "must not contain control characters or lone surrogates";
  if (typeof value !== "object" || value === null) return undefined;
  if (levelsLeft === 0) return `must not be nested more than ${METADATA_MAX_LEVELS} levels deep`;
  for (const [name, member] of Object.entries(value)) {
    const fault = findFault(name, levelsLeft) ?? findFault(member, levelsLeft - 1);
    if (fault) return fault;
  }
  return undefined;
}

export const metadata = z
  .custom<Record<string, unknown>>()
  .check(({ value, issues }) => {
    const message = metadataFault(value);
    if (message) issues.push({ code: "custom", message, input: value });
  })
  .meta({
    type: "object",
    additionalProperties: true,
    description: `Your own JSON object, returned as you sent it, without control characters. At most ${METADATA_MAX_CHARACTERS} characters when serialized, and 16 levels deep.`,
  });

const record = {
  reference: requiredText("Your own order or warehouse reference. It does not have to be unique.", 200),
  from: address.describe("The sender."),
  to: address.describe("The recipient."),
  parcel,
  metadata: metadata.exactOptional(),
};

const body = ruleOfObjects("must be a JSON object");

export const orderInput = z.strictObject(record, body).meta({ description: "An order to create." });

export const shipmentInput = z
  .strictObject(
    { ...record, order_id: optionalText("ID of an existing order in the same account and environment.") },
    body,
  )
  .meta({ description: "A shipment of one parcel to create. It can belong to an order." });

export const rateInput = z
  .strictObject({ shipment_id: requiredText("ID of the shipment.") }, body)
  .meta({ description: "ID of the shipment." });

export const labelInput = z.strictObject(
  {
    shipment_id: requiredText("ID of the shipment."),
    rate_id: requiredText("ID of a rate of the same shipment."),
    format: z
      .enum(["pdf"], rule('must be "pdf"', NULL))
      .exactOptional()
      .meta({ description: "File format of the label.", default: "pdf" }),
  },
  body,
);
export const voidInput = z.strictObject({}, rule("must be the empty object {}", "must be the empty object {}"));

export const someEvents = `must be a list of ${SOME_EVENT_TYPES}`;
const ONE_EVENT = `must be one of ${EVENT_TYPES.join(", ")}`;

// `z.array` would report every element of a list of thousands.
function eventFaults(list: unknown) {
  const fault = (message: string, ...path: number[]) => ({ code: "custom" as const, message, path, input: list });
  if (list === undefined || list === null) return [fault(REQUIRED)];
  if (!Array.isArray(list) || list.length < 1 || list.length > EVENT_TYPES.length) return [fault(someEvents)];
  const unknown = [...list.keys()].filter((index) => !EVENT_TYPES.includes(list[index]));
  if (unknown.length === 0 && new Set(list).size < list.length) return [fault(someEvents)];
  return unknown.map((index) => fault(ONE_EVENT, index));
}

export const webhookInput = z.strictObject(
  {
    url: requiredText(
      "HTTPS URL with a public host name and port 443, without credentials or a fragment. Names that are reserved for private use are refused.",
    ).meta(urlForm),
    events: z
      .custom<EventType[]>()
      .check(({ value, issues }) => {
        issues.push(...eventFaults(value));
      })
      .meta({
        type: "array",
        items: { type: "string", enum: [...EVENT_TYPES] },
        description: `O${SOME_EVENT_TYPES.slice(1)}.`,
        minItems: 1,
        maxItems: EVENT_TYPES.length,
      }),
  },
  body,
);

export const noQuery = z.strictObject({});

// A number without a sign, an exponent or leading zeros.
const PLAIN_DECIMAL = /^[1-9][0-9]*$/;

/** The query of a list. `id` is the ID of its resource. */
export function pageQuery(id: z.ZodType<string>) {
  const rule = "must be an integer from 1 to 100";
  const error = ({ input }: { input?: unknown }) =>
    isNoValue(input) ? `is ${input || "empty"}: omit it for 25 records` : rule;
  const limit = z.int({ error }).min(1, { error }).max(100, { error });
  return z.strictObject({
    limit: z
      .preprocess((text) => (PLAIN_DECIMAL.test(String(text)) ? Number(text) : text), limit)
      .default(25)
      .meta({ description: "Maximum number of records on a page." }),
    after: id.exactOptional().meta({ description: "The `next_cursor` of the previous page." }),
  });
}

export type AddressInput = z.output<typeof address>;
export type OrderInput = z.output<typeof orderInput>;
export type ShipmentInput = z.output<typeof shipmentInput>;
export type RateInput = z.output<typeof rateInput>;
export type LabelInput = z.output<typeof labelInput>;
export type WebhookInput = z.output<typeof webhookInput>;
export type PageQuery = z.output<ReturnType<typeof pageQuery>>;
