import { resources } from "../documents.js";
import type { Operation } from "./operations.js";
import { codeLiteral, requestExamples } from "./request-examples.js";

const operations = resources().flatMap((resource) => resource.operations);
const codeOf = (id: string, language: string) =>
  requestExamples(operations.find((one) => one.id === id) as Operation).find((one) => one.language === language)?.code;

test("for curl, a write has a fresh key, its body, and fails loudly", () => {
  expect(codeOf("quoteRates", "sh")).toBe(`curl -sS --fail-with-body "$SHIPPING_URL/rates" \\
  -H "Authorization: Bearer $SHIPPING_KEY" \\
  -H "Idempotency-Key: quoteRates-$(date +%s)-$$" \\
  -H "Content-Type: application/json" \\
  -d '{
    "shipment_id": "shp_nbswy3dpeb3w64tmmqqgm33pmy"
  }'
`);
});

test("an operation without a method of the clients is an error", () => {
  const [operation] = operations;
  expect(() => requestExamples({ ...operation, id: "printLabel" } as Operation)).toThrow("for printLabel");
});

const value = {
  reference: 'PO "1"',
  parcel: { weight_kg: 1.2 },
  events: ["a", "b"],
  "odd-name": true,
  none: null,
  empty: {},
};

test("a value of JSON is an object of TypeScript", () => {
  expect(codeLiteral(value, "ts")).toBe(
    '{\n  reference: "PO \\"1\\"",\n  parcel: {\n    weight_kg: 1.2,\n  },\n  events: ["a", "b"],\n  "odd-name": true,\n  none: null,\n  empty: {},\n}',
  );
});

test("a value of JSON is a dict of Python, with its own constants", () => {
  expect(codeLiteral(value, "python")).toBe(
    '{\n    "reference": "PO \\"1\\"",\n    "parcel": {\n        "weight_kg": 1.2,\n    },\n    "events": ["a", "b"],\n    "odd-name": True,\n    "none": None,\n    "empty": {},\n}',
  );
});
