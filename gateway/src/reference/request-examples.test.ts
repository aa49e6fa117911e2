import { resources } from "../openapi/documents.js";
import type { Operation } from "./operations.js";
import { codeLiteral, requestExamples } from "./request-examples.js";

const operations = resources().flatMap((resource) => resource.operations);
const codeOf = (id: string, language: string) =>
  requestExamples(operations.find((one) => one.id === id) as Operation).find((one) => one.language === language)?.code;

test.each(operations)("$id has an example for curl, TypeScript and Python", (operation) => {
  expect(requestExamples(operation).map(({ language }) => language)).toEqual(["sh", "ts", "python"]);
});

describe("for curl", () => {
  test("a write has a fresh key, its body, and fails loudly", () => {
    expect(codeOf("quoteRates", "sh")).toBe(`curl -sS --fail-with-body "$SHIPPING_URL/rates" \\
  -H "Authorization: Bearer $SHIPPING_KEY" \\
  -H "Idempotency-Key: quoteRates-$(date +%s)-$$" \\
  -H "Content-Type: application/json" \\
  -d '{
    "shipment_id": "shp_nbswy3dpeb3w64tmmqqgm33pmy"
  }'
`);
  });

  test("a subscription has a key that cannot be guessed, because it leads to the secret", () => {
    expect(codeOf("createSubscription", "sh")).toContain(
      `-H "Idempotency-Key: createSubscription-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')" \\\n`,
    );
  });

  test("a read has no key, a deletion names its method, a file is saved", () => {
    expect(codeOf("getAccount", "sh")).not.toContain("Idempotency-Key");
    expect(codeOf("disableSubscription", "sh")).toContain('-X DELETE "$SHIPPING_URL/webhooks/whk_');
    expect(codeOf("getLabelFile", "sh")).toMatch(/\/file" \\\n.* \\\n {2}-o label\.pdf\n$/);
  });
});

describe("for the clients", () => {
  test("a method is called with the id, the body, or nothing", () => {
    expect(codeOf("getLabel", "ts")).toContain('const label = await shipping.labels.get("lbl_');
    expect(codeOf("quoteRates", "python")).toContain('rates = shipping.rates.create({\n    "shipment_id": "shp_');
    expect(codeOf("getAccount", "python")).toContain("account = shipping.account.get()\n");
    expect(codeOf("voidLabel", "ts")).toMatch(/labels\.void\("lbl_\w+"\);/);
  });

  test("a list is read to its end", () => {
    expect(codeOf("listOrders", "ts")).toContain(
      "for await (const order of shipping.orders.list()) console.log(order.id);",
    );
    expect(codeOf("listOrders", "python")).toContain('for order in shipping.orders.list():\n    print(order["id"])');
  });

  test("a file is written", () => {
    expect(codeOf("getLabelFile", "ts")).toContain('await writeFile("label.pdf", await shipping.labels.file("lbl_');
    expect(codeOf("getLabelFile", "python")).toContain('Path("label.pdf").write_bytes(shipping.labels.file("lbl_');
  });

  test("an operation without a method is an error", () => {
    const [operation] = operations;
    expect(() => requestExamples({ ...operation, id: "printLabel" } as Operation)).toThrow("for printLabel");
  });
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
