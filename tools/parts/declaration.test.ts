import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkReferences, parseDeclaration, readDeclarations } from "./declaration.js";
import { generatedFiles } from "./generated-files.js";

const declarations = readDeclarations();
const text = readFileSync(join(import.meta.dirname, "../../services/tracking/part.yaml"), "utf8");
const without = (field: string) => text.replace(new RegExp(`^${field}:.*\n`, "m"), "");

test("the parts have different names and places, and are listed in the order of these", () => {
  const places = declarations.map(({ place }) => place);
  expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
  expect(new Set(declarations.map(({ name }) => name)).size).toBe(declarations.length);
  expect(declarations.length).toBeGreaterThan(5);
});

test.each(Object.entries(generatedFiles(declarations)))("%s is what `npm run parts` writes", (path, made) => {
  expect(readFileSync(join(import.meta.dirname, "../..", path), "utf8")).toBe(made);
});

test.each([
  [text.replace("name: tracking", "name: 7"), /^services\/x\/part.yaml: .*expected string.* at name$/s],
  [without("place"), /at place$/],
  [text.replace("test/api/labels.test.ts", "src/a.test.ts"), /must be a test file below test\/.* at promises\[0\]$/s],
  [`${text}colour: red\n`, /Unrecognized key: "colour"$/],
  [`${text}secrets: { TOKEN: {} }\n`, /must have one of trial, with and optional.* at secrets\.TOKEN$/s],
  ["", /expected object/],
])("a declaration is refused with the file, the field, and what it must be (%#)", (refused, why) => {
  expect(() => parseDeclaration(refused, "services/x")).toThrow(why);
});

test.each([
  [{ calls: ["mcp"] }, "services/x/part.yaml: calls mcp, which is no part with a port for rpc"],
  [{ calls: ["ledgers"] }, "services/x/part.yaml: calls ledgers, which is no part with a port for rpc"],
  [
    { requests: { API_URL: { part: "records", port: "http" as const } } },
    "services/x/part.yaml: requests API_URL: records is no part with the port http",
  ],
  [{ receivers: { through: "proxy" } }, "services/x/part.yaml: receivers: proxy is none of its servers"],
])("%j is refused if the parts do not fit together", (fields, why) => {
  const odd = { ...parseDeclaration(text, "services/x"), name: "x", ...fields };
  expect(() => checkReferences([...declarations, odd])).toThrow(why);
});
