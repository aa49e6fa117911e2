import type { z } from "zod";
import type { address, parcel } from "../../input/schemas.js";
import { Code, Text } from "../page/text.js";

type Address = z.infer<typeof address>;
type Parcel = z.infer<typeof parcel>;

interface Details {
  from: Address;
  to: Address;
  parcel: Parcel;
  metadata?: unknown;
}

export function ParcelDetails({ from, to, parcel, metadata }: Details) {
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
      {metadata !== undefined && (
        <>
          <h2>Metadata</h2>
          <Code>{jsonText(metadata)}</Code>
        </>
      )}
    </>
  );
}

// Invisible characters, and those that change the direction of text, are escaped as \uXXXX.
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]/gu;

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(INVISIBLE, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

function PostalAddress(address: Address) {
  const { name, company, street1, street2, city, state, postal_code: postalCode, country, email, phone } = address;
  const lines = [name, company, street1, street2, `${postalCode} ${city}`, state, countryName(country)];
  return (
    <address>
      {[...lines, email, phone].map((line) =>
        line ? (
          <span>
            <Text>{line}</Text>
          </span>
        ) : null,
      )}
    </address>
  );
}

export function shortPlace(place: { postalCode: string; city: string; country: string }): string {
  const { postalCode, city, country } = place;
  return `${postalCode} ${city}, ${country}`;
}

const countries = new Intl.DisplayNames(["en"], { type: "region" });

function countryName(code: string): string {
  const name = countries.of(code);
  return name === undefined || name === code || name === "Unknown Region" ? code : `${name} (${code})`;
}
