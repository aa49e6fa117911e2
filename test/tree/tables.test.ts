import { operations } from "@shipping/api/operations/operations";
import { errors } from "@shipping/proto/errors";
import { read, sources } from "./sources.js";

describe("the table of routes", () => {
  test("is the specification's, row by row, with the statuses that the contract adds", () => {
    const [, table = ""] = read("conformance/spec/shipping-api.md").split("\n## Endpoints\n");
    const rows = [...table.matchAll(/^\| (GET|POST|DELETE) \| (\S+) \| (\S+) \|/gm)].map((row) => row.slice(1, 4));
    const [, created = ""] = /^Success statuses: `201` for (.+?);/m.exec(read("conformance/spec/contract.md")) ?? [];
    const creating = new Set([...created.matchAll(/`(?:POST )?(\S+)`/g)].map(([, path]) => `POST ${path}`));
    expect(creating.size).toBe(4);
    expect(operations.map(({ method, path, scope, status }) => [method, path, scope, status])).toEqual(
      rows.map(([method, path, scope]) => [method, path, scope, creating.has(`${method} ${path}`) ? 201 : 200]),
    );
  });
});

describe("the table of errors", () => {
  test("has no code that no test is answered, with its status", () => {
    const tests = sources.filter(({ path }) => /\.test\.ts$/.test(path) && /^(test|gateway)\//.test(path));
    const text = tests.map((source) => source.text).join("\n");
    // Matches the notation of responses in tests, and the beginnings of their names. A code alone would not count: tests of the document list all
    // codes.
    const answered = new Set([...text.matchAll(/"(\d{3} [a-z_]+)[" ]/g)].map(([, said]) => said));
    expect(Object.entries(errors).filter(([code, { status }]) => !answered.has(`${status} ${code}`))).toEqual([]);
  });
});
