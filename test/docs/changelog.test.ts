import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@shipping/gateway/openapi/openapi";

const read = (file: string) => readFileSync(join(import.meta.dirname, "../..", file), "utf8");
const headings = [...read("docs/changelog.md").matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
const entries = headings.map((heading) => {
  const [, date = "", version = ""] = /^(\d{4}-\d\d-\d\d) \((\d+\.\d+\.\d+)\)$/.exec(heading) ?? [];
  return { heading, date, version };
});

describe("the changelog of the API", () => {
  test("dates every entry and names its version", () => {
    expect(entries.length).toBeGreaterThan(1);
    for (const { heading, date, version } of entries) {
      expect([heading, version]).not.toEqual([heading, ""]);
      expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    }
  });

  test("names in its newest entry the version that the OpenAPI document has", () => {
    expect(entries[0]?.version).toBe(openApiDocument().info.version);
  });

  test("is in order, the newest first, one entry for a day", () => {
    const dates = entries.map(({ date }) => date);
    expect(dates).toEqual([...new Set(dates)].sort().reverse());
    const numbers = entries.map(({ version }) => version.split(".").map(Number));
    for (const [index, newer] of numbers.slice(0, -1).entries())
      expect(newer.join().localeCompare(numbers[index + 1]?.join() ?? "", "en", { numeric: true })).toBeGreaterThan(-1);
  });
});

test("every error code of the API is decided by its status, as Versions and changes says to decide an unknown one", () => {
  expect(read("docs/versioning.md")).toContain("retry 500, 503 and 429");
  const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` +\| (\d{3}) +\|.*\| (yes|no)[^|]*\|$/gm)];
  const unlike = rows.filter(([, , status = "", said]) => ["429", "500", "503"].includes(status) !== (said === "yes"));
  // The two that a client has to know by name, and does: they have been there since the first version.
  expect(unlike.map(([, code]) => code)).toEqual(["idempotency_in_progress", "carrier_not_configured"]);
  expect(rows.length).toBe(18);
});
