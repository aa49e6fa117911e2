import { readZone, toInstant, toLocal } from "./zone.js";

const zoneOf = (zone: string) => readZone(new URLSearchParams({ zone }));

test.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ["Atlantis", "UTC"],
  ["Europe/Berlin'; DROP", "UTC"],
])("the zone %j is %s", (zone, expected) => {
  expect(zoneOf(zone).replace("America/Buenos_Aires", "America/Argentina/Buenos_Aires")).toBe(expected);
});

test.each([
  ["2026-11-21T09:30", "UTC", "2026-11-21T09:30:00.000Z"],
  ["2026-11-21T00:00", "Europe/Berlin", "2026-11-20T23:00:00.000Z"],
  ["2026-11-21T00:00", "Asia/Kathmandu", "2026-11-20T18:15:00.000Z"],
  // The days on which the clocks change.
  ["2026-03-29T00:00", "Europe/Berlin", "2026-03-28T23:00:00.000Z"],
  ["2026-03-30T00:00", "Europe/Berlin", "2026-03-29T22:00:00.000Z"],
  ["2026-10-25T00:00", "Europe/Berlin", "2026-10-24T22:00:00.000Z"],
  ["2026-10-26T00:00", "Europe/Berlin", "2026-10-25T23:00:00.000Z"],
])("%s in %s is %s, and back", (local, zone, expected) => {
  const instant = toInstant(local, zone);
  expect(instant.toISOString()).toBe(expected);
  expect(toLocal(instant, zone).slice(0, 16)).toBe(local);
});

test.each(["2026-13-01T00:00", "0001-01-01T00:00", "soon"])("%s is no time", (local) => {
  expect(toInstant(local, "America/New_York").getTime()).toBeNaN();
});
