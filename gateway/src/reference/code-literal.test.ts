import { codeLiteral } from "./code-literal.js";

const value = {
  reference: 'PO "1"',
  parcel: { weight_kg: 1.2 },
  events: ["a", "b"],
  "odd-name": true,
  none: null,
  empty: {},
};

test("is an object of TypeScript", () => {
  expect(codeLiteral(value, "ts")).toBe(
    '{\n  reference: "PO \\"1\\"",\n  parcel: {\n    weight_kg: 1.2,\n  },\n  events: ["a", "b"],\n  "odd-name": true,\n  none: null,\n  empty: {},\n}',
  );
});

test("is a dict of Python, with its own constants", () => {
  expect(codeLiteral(value, "python")).toBe(
    '{\n    "reference": "PO \\"1\\"",\n    "parcel": {\n        "weight_kg": 1.2,\n    },\n    "events": ["a", "b"],\n    "odd-name": True,\n    "none": None,\n    "empty": {},\n}',
  );
});
