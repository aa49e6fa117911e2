import { fromJson } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { type Columns, columnNames, type Row, unnestRows } from "@shipping/kit/postgres/columns";
import {
  type Address,
  AddressSchema,
  type CreateOrderRequest,
  type CreateShipmentRequest,
  type Parcel,
  ParcelSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql, { raw, type Sql } from "sql-template-tag";

/** The columns that orders and shipments share. Addresses, parcel and metadata are JSON text, as the public resource shows them. */
export const sharedColumns = {
  id: "text",
  environment: "text",
  status: "text",
  reference: "text",
  sender: "json",
  recipient: "json",
  parcel: "json",
  metadata: "text?",
  createdAt: "timestamptz",
} as const satisfies Columns;

export type SharedRow = Row<typeof sharedColumns>;

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

/** Creates the insertion of rows whose writes are in the CTE `claim`, which has their environment. */
export function insertClaimed<Stored extends Pick<typeof sharedColumns, "environment"> & Columns>(
  table: string,
  { environment, ...columns }: Stored,
): (rows: readonly Row<Stored>[]) => Sql {
  const names = columnNames(columns);
  const insert = raw(`
    INSERT INTO ${table} (account_id, environment, ${names.text})
    SELECT account_id, environment, ${names.text} FROM claim JOIN `);
  return (rows) => sql`${insert}${unnestRows(columns, rows)} USING (ordinal)`;
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

export function addressIn(json: string): Address {
  return fromJson(AddressSchema, JSON.parse(json));
}

export function parcelIn(json: string): Parcel {
  return fromJson(ParcelSchema, JSON.parse(json));
}
