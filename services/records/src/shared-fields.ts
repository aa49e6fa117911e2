import { fromJson } from "@bufbuild/protobuf";
import type { Caller, Claim } from "@shipping/kit/caller";
import { originText } from "@shipping/kit/ledger/origin";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import {
  type Address,
  AddressSchema,
  type CreateOrderRequest,
  type CreateShipmentRequest,
  type Parcel,
  ParcelSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql, { type Sql } from "sql-template-tag";

/** The columns that orders and shipments share. Addresses, parcel and metadata are JSON text, as the public resource shows them. */
export interface SharedRow {
  id: string;
  environment: string;
  status: string;
  reference: string;
  sender: string;
  recipient: string;
  parcel: string;
  metadata: string | null;
  createdAt: Date;
}

/** The shared columns for a SELECT that yields a SharedRow. */
export const sharedColumns = sql`
  id, environment, status, reference, sender::text, recipient::text, parcel::text, metadata, created_at AS "createdAt"`;

/** The bytes of a row's columns that can be large. */
export const largeBytes = sql`octet_length(sender) + octet_length(recipient) + coalesce(octet_length(metadata), 0)`;

/** The columns of a new row, from the client's values. */
export function newSharedRow(request: CreateOrderRequest | CreateShipmentRequest, caller: Caller, now: Date) {
  const { reference, from, to, parcel, metadata } = request;
  if (!from || !to || !parcel) throw new Error("The gateway lets no request pass without addresses and parcel.");
  return {
    environment: caller.environment,
    reference,
    sender: addressJson(from),
    recipient: addressJson(to),
    parcel: parcelJson(parcel),
    metadata: metadata?.text ?? null,
    createdAt: now,
  };
}

/** The adjacent public members that orders and shipments share: `"reference":…,"from":…,…`. */
export function givenMembers({ reference, sender, recipient, parcel, metadata }: SharedRow): string {
  const given = `"reference":${JSON.stringify(reference)},"from":${sender},"to":${recipient},"parcel":${parcel}`;
  return metadata === null ? given : `${given},"metadata":${metadata}`;
}

/** The last public members that they share: `"livemode":…,"created_at":…`. */
export function lastMembers({ environment, createdAt }: SharedRow): string {
  return `"livemode":${environment === "live"},"created_at":"${createdAt.toISOString()}"`;
}

/** The shared columns of new rows, as a table `given (id, status, reference, …, created_at, origin, ordinal)`. */
export function givenSql(rows: readonly SharedRow[], writes: readonly { claim: Claim; event: Event }[]): Sql {
  return sql`unnest(
    ${rows.map(({ id }) => id)}::text[], ${rows.map(({ status }) => status)}::text[],
    ${rows.map(({ reference }) => reference)}::text[], ${rows.map(({ sender }) => sender)}::json[],
    ${rows.map(({ recipient }) => recipient)}::json[], ${rows.map(({ parcel }) => parcel)}::json[],
    ${rows.map(({ metadata }) => metadata)}::text[], ${rows.map(({ createdAt }) => createdAt)}::timestamptz[],
    ${writes.map(({ claim, event }) => originText(claim, event))}::text[]
  ) WITH ORDINALITY AS given (
    id, status, reference, sender, recipient, parcel, metadata, created_at, origin, ordinal)`;
}

// In the order of the public resource. Members that are undefined are left out.
function addressJson(address: Address): string {
  const { name, street1, city, postalCode, country, company, street2, state, email, phone } = address;
  return JSON.stringify({
    name,
    street1,
    city,
    postal_code: postalCode,
    country,
    company,
    street2,
    state,
    email,
    phone,
  });
}

function parcelJson({ weightKg, lengthCm, widthCm, heightCm }: Parcel): string {
  return JSON.stringify({ weight_kg: weightKg, length_cm: lengthCm, width_cm: widthCm, height_cm: heightCm });
}

/** A stored address as a message. */
export function addressIn(json: string): Address {
  return fromJson(AddressSchema, JSON.parse(json));
}

/** A stored parcel as a message. */
export function parcelIn(json: string): Parcel {
  return fromJson(ParcelSchema, JSON.parse(json));
}
