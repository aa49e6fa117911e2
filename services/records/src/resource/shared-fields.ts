import { fromJson } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { type Columns, columnName, columnNames, type Row, unnestRows } from "@shipping/kit/postgres/columns";
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

type Large = "sender" | "metadata";

/** A row as it is shown. The rows of a list lack the columns that can be large. */
export type Shown<Stored extends SharedRow> = Omit<Stored, Large> & Partial<Pick<Stored, Large>>;

/** The columns of a list's rows. */
export function rowColumns<Of extends Columns>({ sender, metadata, ...others }: Of): Omit<Of, Large> {
  return others;
}

/** The public JSON of an order or a shipment, whose members are in one order. Members that have no value are left out. */
export function publicJson<Text extends string>(
  object: "order" | "shipment",
  row: Shown<SharedRow> & Readonly<Record<NoInfer<Text>, string | null>>,
  ownTexts: Readonly<Record<Text, "text?">>,
): string {
  const { id, status, reference, sender, recipient, parcel, metadata, environment, createdAt } = row;
  const own: Readonly<Record<Text, string | null>> = row;
  const texts = (Object.keys(ownTexts) as Text[]).map((name) => optional(columnName(name), textJson(own[name])));
  const given = `"reference":${textJson(reference)},${optional("from", sender)}"to":${recipient},"parcel":${parcel},`;
  const last = `"livemode":${environment === "live"},"created_at":"${createdAt.toISOString()}"`;
  return `{"id":"${id}","object":"${object}","status":"${status}",${given}${optional("metadata", metadata)}${texts.join("")}${last}}`;
}

const textJson = (text: string | null) => text !== null && JSON.stringify(text);
const optional = (name: string, json: string | false | null | undefined) => (json ? `"${name}":${json},` : "");

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
