import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { publicJson } from "@shipping/kit/json";
import {
  AddressSchema,
  type CreateOrderRequest,
  type CreateShipmentRequest,
  type Order,
  ParcelSchema,
  type Shipment,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql, { type Sql } from "sql-template-tag";

/** The columns that orders and shipments share, named as their messages name them. */
export interface SharedRow {
  id: string;
  environment: string;
  status: string;
  reference: string;
  sender: JsonValue;
  recipient: JsonValue;
  parcel: JsonValue;
  metadata: string | null;
  createdAt: Date;
}

/** The shared columns for a SELECT that yields a SharedRow. */
export const sharedColumns = sql`
  id, environment, status, reference, sender, recipient, parcel, metadata, created_at AS "createdAt"`;

/** What the client gave. */
export function givenFields(request: CreateOrderRequest | CreateShipmentRequest) {
  const { reference, from, to, parcel, metadata } = request;
  if (!from || !to || !parcel) throw new Error("The gateway lets no request pass without addresses and parcel.");
  return { reference, from, to, parcel, ...(metadata ? { metadata } : {}) };
}

/** The message fields of a stored row. */
export function storedFields(row: SharedRow) {
  return {
    id: row.id,
    status: row.status,
    reference: row.reference,
    from: fromJson(AddressSchema, row.sender),
    to: fromJson(AddressSchema, row.recipient),
    parcel: fromJson(ParcelSchema, row.parcel),
    ...(row.metadata === null ? {} : { metadata: { text: row.metadata } }),
    livemode: row.environment === "live",
    createdAt: row.createdAt.toISOString(),
  };
}

/** What orders and shipments share of new records, as a table `given (id, status, reference, …, created_at, ordinal)`. */
export function givenSql(messages: readonly (Order | Shipment)[]): Sql {
  return sql`unnest(
    ${messages.map(({ id }) => id)}::text[], ${messages.map(({ status }) => status)}::text[],
    ${messages.map(({ reference }) => reference)}::text[],
    ${messages.map(({ from }) => publicJson(AddressSchema, required(from)))}::jsonb[],
    ${messages.map(({ to }) => publicJson(AddressSchema, required(to)))}::jsonb[],
    ${messages.map(({ parcel }) => publicJson(ParcelSchema, required(parcel)))}::jsonb[],
    ${messages.map(({ metadata }) => metadata?.text ?? null)}::text[],
    ${messages.map(({ createdAt }) => createdAt)}::timestamptz[]
  ) WITH ORDINALITY AS given (id, status, reference, sender, recipient, parcel, metadata, created_at, ordinal)`;
}

function required<Field>(field: Field | undefined): Field {
  if (!field) throw new Error("An order or shipment has addresses and a parcel.");
  return field;
}
