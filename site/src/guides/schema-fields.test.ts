import { events as examples } from "@shipping/api/examples";
import { guides } from "@shipping/api/guides";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import { findGuide } from "../documents.js";
import {
  describeField,
  describeFields,
  type EventDocument,
  eventReference,
  type Field,
  type Schema,
  type Schemas,
} from "./schema-fields.js";

const { schemas } = JSON.parse(JSON.stringify(openApiDocument())).components as { schemas: Schemas };

const textOf = (schema: Schema) => describeField("x", schema, {}, true).text;

/** The field at a dotted path of a named schema. */
function at(path: string): Field | undefined {
  const [name = "", ...steps] = path.split(".");
  return steps.reduce<Field | undefined>((field, step) => field?.fields.find((inner) => inner.name === step), {
    name,
    type: name,
    isRequired: true,
    text: "",
    fields: describeFields(schemas[name] ?? {}, schemas),
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
    ["ShipmentInput.to", "AddressInput", true, /^The recipient\.$/],
    ["ShipmentInput.parcel.weight_kg", "number", true, /Greater than 0, at most 1000\.$/],
    ["ShipmentInput.metadata", "object", false, /[Aa]t most 4096 characters/],
    ["LabelInput.format", "string", false, /^Always `pdf`\. .* Default: `pdf`\.$/],
    ["LabelInput.rate_id", "string", true, /At least 1 character\.$/],
    [
      "WebhookInput.events",
      "array of string",
      true,
      new RegExp(`^\`order\\.created\`, .* or \`label\\.voided\`\\. .*1 to ${EVENT_TYPES.length} items\\.$`),
    ],
    ["Label.charge.amount", "number", true, /^Amount in major units: 0 in the sandbox\.$/],
  ])("%s is a %s, required: %s, with its rules in words", (path, type, isRequired, text) => {
    expect(at(path)).toMatchObject({ type, isRequired, text: expect.stringMatching(text) });
  });

  test("has its pattern where no words stand for it", () => {
    expect(at("AddressInput.country")?.pattern).toBe("^[A-Z]{2}$");
    for (const path of ["AddressInput.name", "AddressInput.company", "Order.id", "Order.created_at"])
      expect(at(path)?.pattern).toBeUndefined();
  });

  test("says what a parameter has", () => {
    expect(textOf({ type: "integer", minimum: 1, maximum: 100, default: 25 })).toBe("1 to 100. Default: `25`.");
    expect(describeField("next_cursor", { type: ["string", "null"] }, {}, true).type).toBe("string or null");
  });

  test("of a list has the fields of its records", () => {
    const list: Schema = { type: "array", items: { $ref: "#/components/schemas/Order" } };
    const { type, fields } = describeField("data", list, schemas, true);
    expect(type).toBe("array of Order");
    expect(fields.map(({ name }) => name)).toContain("reference");
  });
});

const document = JSON.parse(JSON.stringify(openApiDocument())) as EventDocument;

/** The rows of the table under a heading, cell by cell. */
function rowsUnder(heading: string, markdown: string): string[][] {
  const [, part = ""] = markdown.split(`# ${heading}\n`);
  const [, , ...rows] = part.split("\n#")[0]?.match(/^\|.*\|$/gm) ?? [];
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

/** The names of all members of an example, but not those of `metadata`, which are the customer's own. */
function membersOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, member]) => [
    name,
    ...(typeof member === "object" && member !== null && name !== "metadata" ? membersOf(member) : []),
  ]);
}

describe("the page of an event", () => {
  test("has the fields of its body and of what is in it, with the document's rules", () => {
    const page = eventReference("label.voided", document);
    expect(rowsUnder("Fields", page).map(([field]) => field)).toEqual(
      ["id", "type", "livemode", "created_at", "data"].map((name) => `\`${name}\``),
    );
    expect(page).toContain("| `type` | string | Always `label.voided`. |");
    expect(page).toContain("| `data` | [Label](#label) |");
    expect(page).toContain("| `status` | string | `created` or `voided`. |");
    expect(page).toContain("| `voided_at` | string | Optional. Only present after the label was voided. |");
    expect(page).toContain("| `charge.amount` | number | Amount in major units: 0 in the sandbox. |");
  });

  test.each(EVENT_TYPES)("%s names every member that its example has", (type) => {
    const page = eventReference(type, document);
    const named = [...page.matchAll(/^\| `(?:\w+\.)?(\w+)` \|/gm)].map(([, field]) => field);
    expect(membersOf(examples[type]).filter((member) => !named.includes(member))).toEqual([]);
  });

  test("a type that the document does not have is an error, not an empty page", () => {
    expect(() => eventReference("order.created", { components: { schemas: {} } })).toThrow(
      "no schema of order.created",
    );
  });
});

describe("the catalogue of events", () => {
  test("has a page for each type, which says when it is sent, and shows the document's example", () => {
    expect(guides.flatMap(({ event }) => event ?? [])).toEqual(EVENT_TYPES);
    for (const type of EVENT_TYPES) {
      const { rendered } = findGuide(`events/${type}`) ?? {};
      const titles = rendered?.sections.filter(({ level }) => level === 2).map(({ title }) => title);
      expect(titles).toEqual([
        "When it is sent",
        "What to do with it",
        "Fields",
        "Example",
        "Before you process the event",
      ]);
      expect(rendered?.html).toContain(examples[type].id);
    }
  });
});
