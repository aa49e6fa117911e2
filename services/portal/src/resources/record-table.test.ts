import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { toMarks } from "../page/marked.js";
import type { ListedRecord } from "./find-resources.js";
import { RecordTable } from "./record-table.js";

const to = { name: "Anna", street1: "1", city: "Berlin", postal_code: "10115", country: "DE" };

function rowsOf(
  search: string,
  records: { metadata?: Record<string, unknown>; to?: Partial<typeof to> & { state?: string } }[],
): string {
  const found = records.map(
    (record, n): ListedRecord => ({
      id: `shp_${n}`,
      status: "draft",
      reference: "order",
      to: { ...to, ...record.to },
      parcel: { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 },
      metadata: record.metadata ?? {},
      livemode: false,
      created_at: "2026-11-21T09:30:00Z",
    }),
  );
  return renderToString(
    h(RecordTable, { records: found, kind: "shipments", environment: "sandbox", marks: toMarks(search) }),
  );
}

test("whatever is searched for in the largest metadata, a page of a hundred rows takes little of the gateway's event loop", () => {
  const search = Array.from({ length: 30 }, (_, n) => "a".repeat(100 - n)).join(" ");
  const largest = [
    { m: "a".repeat(4_000) },
    { m: "😀a".repeat(2_000) },
    Object.fromEntries([..."a".repeat(600)].map((a, n) => [n, a])),
  ];
  const records = Array.from({ length: 100 }, (_, n) => ({ metadata: largest[n % 3]! }));
  const before = process.cpuUsage();
  rowsOf(search, records);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(500);
});

test("the searched words are marked, across punctuation and beside each other", () => {
  expect(rowsOf("warehouse 0049", [{ to: { name: "Central-warehouse+0049-30-123" } }])).toContain(
    "Central-<mark>warehouse</mark>+<mark>0049</mark>-30-123",
  );
  expect(rowsOf("12 3 45", [{ metadata: { phone: "+12-345 and 12" } }])).toContain(
    "phone: <bdi>+<mark>12</mark>-<mark>345</mark> and <mark>12</mark></bdi>",
  );
});

test.each([
  ["mueller", "Jörg Müller", "Jörg <mark>Müller</mark>"],
  ["Müller", "Jorg Mueller", "Jorg <mark>Mueller</mark>"],
  ["oneill", "Sean O’Neill", "Sean <mark>O</mark>’<mark>Neill</mark>"],
  ["muellerluedenscheid", "A. Müller-Lüdenscheid", "A. <mark>Müller</mark>-<mark>Lüdenscheid</mark>"],
  ["sokolova", "Е. Соколова", "Е. <mark>Соколова</mark>"],
  ["١٢٣٤", "Box 1234", "Box <mark>1234</mark>"],
])("%s is marked where it was found in another spelling: %s", (search, name, marked) => {
  expect(rowsOf(search, [{ to: { name } }])).toContain(marked);
});

test("a street or a state that a search has found is shown", () => {
  expect(rowsOf("long lane", [{ to: { street1: "1 Long Lane" } }])).toContain("1 <mark>Long</mark> <mark>Lane</mark>");
  expect(rowsOf("bremen", [{ to: { state: "Bremen" } }])).toContain("<mark>Bremen</mark>");
});
