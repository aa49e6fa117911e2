import type { ComponentChildren } from "preact";
import { HiddenField, Input } from "./form.js";

/** A day or a time in the query of a filter, and their zone. The longest zone name has 32 characters. */
export const TIME_PARAMETER = { maxLength: 32 };
export const zoneQuery = { zone: { maxLength: 64 } };

/** The zone of a filter's days and times, such as `Europe/Berlin`: the reader's. UTC if the query names none, or one that does not exist. */
export function readZone(query: URLSearchParams): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: query.get("zone") || "UTC" }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/** The zone's local time in the form of `<input type="datetime-local">`, with seconds: `2026-11-21T09:30:00`. */
export function toLocal(time: Date, zone: string): string {
  // The Swedish locale formats times as ISO 8601 does.
  return time.toLocaleString("sv-SE", { timeZone: zone }).replace(" ", "T");
}

/** The instant of a local time in the zone, such as `2026-11-21T09:30`. Invalid if it is not a time, or is outside the last thousand years. */
export function toInstant(local: string, zone: string): Date {
  const shown = Date.parse(`${local}Z`);
  let instant = new Date(shown);
  // A second guess, because the zone's offset from UTC may change between the first guess and the result.
  for (let guess = 0; guess < 2 && !Number.isNaN(instant.getTime()); guess++)
    instant = new Date(shown - (Date.parse(`${toLocal(instant, zone)}Z`) - instant.getTime()));
  return instant;
}

/** The field of a form that names the zone. If the filter has no times yet, the script enters the reader's zone. */
export function ZoneField({ zone = "" }: { zone: string | undefined }) {
  return <HiddenField name="zone" value={zone} />;
}

/** A day or a time of a filter. A hint names the zone. */
export function TimeField(props: {
  name: string;
  label: string;
  type: "date" | "datetime-local";
  value: string | undefined;
  zone: string | undefined;
}) {
  const { name, label, type, value, zone } = props;
  return (
    <div class="field">
      <label for={name}>
        {label}{" "}
        <span class="beside">
          <ZoneName zone={zone} />
        </span>
      </label>
      <Input type={type} id={name} name={name} value={value} />
    </div>
  );
}

/** The name of a zone. Where it is not fixed, the script replaces it with the reader's. */
export function ZoneName({ zone = "UTC" }: { zone?: string | undefined }) {
  return <span class="zone">{zone}</span>;
}

/** The fields of a filter behind a button, which shows how many are in use. `clear` is the path of the list without them. */
export function FilterFold(props: { used: number; clear: string; children: ComponentChildren }) {
  const { used, clear, children } = props;
  return (
    <details class="fold">
      <summary class="button quiet">Filters{used > 0 && <span class="count">{used}</span>}</summary>
      <div class="panel">
        {children}
        <div class="actions">
          <button type="submit">Apply</button>
          {used > 0 && <a href={clear}>Clear</a>}
        </div>
      </div>
    </details>
  );
}
