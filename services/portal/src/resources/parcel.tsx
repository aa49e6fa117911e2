import { create } from "@bufbuild/protobuf";
import type { address, parcel } from "@shipping/api/input/schemas";
import { addressLines } from "@shipping/kit/postal/address-lines";
import { AddressSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import type { z } from "zod";
import { Marked } from "../page/marked.js";
import { Copyable, Json, Text } from "../page/text.js";
import { FURTHER, furtherText, headingOf } from "./further-fields.js";

export type Address = z.infer<typeof address>;
type Parcel = z.infer<typeof parcel>;

interface Details {
  from: Address;
  to: Address;
  parcel: Parcel;
  metadata?: unknown;
}

export function ParcelDetails(record: Details) {
  const { from, to, parcel, metadata } = record;
  const { weight_kg: weightKg, length_cm: lengthCm, width_cm: widthCm, height_cm: heightCm } = parcel;
  return (
    <>
      <div class="cards">
        <section>
          <h2>From</h2>
          <PostalAddress {...from} />
        </section>
        <section>
          <h2>To</h2>
          <PostalAddress {...to} />
        </section>
        <section>
          <h2>Parcel</h2>
          <p>
            {weightKg} kg
            <br />
            {lengthCm} × {widthCm} × {heightCm} cm
          </p>
        </section>
      </div>
      {FURTHER.filter((name) => furtherText(record, name)).map((name) => (
        <>
          <h2>{headingOf(name)}</h2>
          <p>
            <Text>{furtherText(record, name)}</Text>
          </p>
        </>
      ))}
      {metadata !== undefined && (
        <>
          <h2>Metadata</h2>
          <Json value={metadata} />
        </>
      )}
    </>
  );
}

/** A postal address as its country writes it, with a button that copies its lines. */
function PostalAddress(address: Address) {
  const { postal_code: postalCode, email, phone } = address;
  const written = create(AddressSchema, { ...address, postalCode });
  const lines = addressLines(written, "local", (text) => text.trim());
  return (
    <>
      <address data-copy>
        {lines.map(({ text }, nth) => (
          <>
            {nth > 0 && "\n"}
            <span>
              <Text>{text}</Text>
            </span>
          </>
        ))}
      </address>
      <p class="sub">
        Country code <code>{address.country}</code>
      </p>
      {[email, phone].map((line) =>
        line ? (
          <p class="sub">
            <Copyable>{line}</Copyable>
          </p>
        ) : null,
      )}
    </>
  );
}

export function shortPlace({ city, country }: Pick<Address, "city" | "country">): string {
  return `${city}, ${country}`;
}

/** The same with the city isolated, so that one written from right to left does not turn the country around. */
export function Destination({ to, marks = [] }: { to: Address; marks?: readonly string[] }) {
  return (
    <>
      <Marked marks={marks}>{to.city}</Marked>, {to.country}
    </>
  );
}
