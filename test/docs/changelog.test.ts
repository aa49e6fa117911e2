import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "@shipping/api/openapi/openapi";

const SPECIFICATION = "conformance/spec/shipping-api.md";
const read = (file: string) => readFileSync(join(import.meta.dirname, "../..", file), "utf8");
const dates = [...read("docs/changelog.md").matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);

describe("the changelog of the API", () => {
  test("has dates for headings, the newest first, one entry for a day", () => {
    expect(dates.length).toBeGreaterThan(1);
    for (const date of dates) expect(new Date(date).toISOString().slice(0, 10)).toBe(date);
    expect(dates).toEqual([...new Set(dates)].sort().reverse());
  });

  test("dates the OpenAPI document, whose version is the specification's", () => {
    const [, specified] = /the machine-readable description is versioned `([^`]+)`/.exec(read(SPECIFICATION)) ?? [];
    expect(openApiDocument().info).toMatchObject({ version: specified, "x-revision": dates[0] });
  });
});

test("every error code of the API is decided by its status, as Versions and changes says to decide an unknown one", () => {
  expect(read("docs/versioning.md")).toContain("retry 500, 503 and 429");
  const rows = [...read("docs/errors.md").matchAll(/^\| `(\w+)` +\| (\d{3}) +\|.*\| (yes|no)[^|]*\|$/gm)];
  const unlike = rows.filter(([, , status = "", said]) => ["429", "500", "503"].includes(status) !== (said === "yes"));
  // These two do not follow the rule. Clients have known them by name since the first version.
  expect(unlike.map(([, code]) => code)).toEqual(["idempotency_in_progress", "carrier_not_configured"]);
  expect(rows.length).toBe(18);
});
