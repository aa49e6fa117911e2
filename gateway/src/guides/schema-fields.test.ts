import { openApiDocument } from "../openapi/openapi.js";
import { type Field, fieldOf, fieldsOf, type Schema, type Schemas } from "./schema-fields.js";

const { schemas } = JSON.parse(JSON.stringify(openApiDocument())).components as { schemas: Schemas };

const textOf = (schema: Schema) => fieldOf("x", schema, {}, true).text;

/** The field at a dotted path of a named schema. */
function at(path: string): Field | undefined {
  const [name = "", ...steps] = path.split(".");
  return steps.reduce<Field | undefined>((field, step) => field?.fields.find((inner) => inner.name === step), {
    name,
    type: name,
    isRequired: true,
    text: "",
    fields: fieldsOf(schemas[name] ?? {}, schemas),
  });
}

describe("a field", () => {
  test.each([
    [
      "ShipmentInput.reference",
      "string",
      true,
      /Must not be blank or contain control characters\. 1 to 200 characters\.$/,
    ],
    ["ShipmentInput.order_id", "string", false, /Must not contain control characters\.$/],
    ["ShipmentInput.to", "Address", true, /^The recipient\.$/],
    ["ShipmentInput.to.street2", "string", false, /At most 200 characters\.$/],
    ["ShipmentInput.parcel.weight_kg", "number", true, /Greater than 0, at most 1000\.$/],
    ["ShipmentInput.metadata", "object", false, /[Aa]t most 4096 characters/],
    ["LabelInput.format", "string", false, /^Always `pdf`\. .* Default: `pdf`\.$/],
    ["LabelInput.rate_id", "string", true, /At least 1 character\.$/],
    [
      "WebhookInput.events",
      "array of string",
      true,
      /^`order\.created`, .* or `label\.voided`\. .*1 to 4 items, without duplicates\.$/,
    ],
    ["Account.limits.requests_per_minute", "integer", true, /^$/],
    ["Label.charge.amount", "number", true, /^Always `0`\.$/],
    ["Webhook.disabled_at", "string", false, /^Only present after the subscription was disabled\.$/],
  ])("%s is a %s, required: %s, with its rules in words", (path, type, isRequired, text) => {
    expect(at(path)).toMatchObject({ type, isRequired, text: expect.stringMatching(text) });
  });

  test("has its pattern where no words stand for it", () => {
    expect(at("Address.country")?.pattern).toBe("^[A-Z]{2}$");
    expect(at("Order.id")?.pattern).toMatch(/^\^ord_/);
    for (const path of ["Address.name", "Address.company", "Order.created_at"])
      expect(at(path)?.pattern).toBeUndefined();
  });

  test("says what a parameter has", () => {
    expect(textOf({ type: "integer", minimum: 1, maximum: 100, default: 25 })).toBe("1 to 100. Default: `25`.");
    expect(fieldOf("next_cursor", { type: ["string", "null"] }, {}, true).type).toBe("string or null");
  });

  test("of a list has the fields of its records", () => {
    const list: Schema = { type: "array", items: { $ref: "#/components/schemas/Order" } };
    const { type, fields } = fieldOf("data", list, schemas, true);
    expect(type).toBe("array of Order");
    expect(fields.map(({ name }) => name)).toContain("reference");
  });
});
