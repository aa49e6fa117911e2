import type { Document } from "./openapi-schemas.js";
import { pythonTypes } from "./python-types.js";

const document = (schemas: Document["components"]["schemas"]): Document => ({ paths: {}, components: { schemas } });

/** The text after the imports. */
const typesOf = (given: Document) => {
  const text = pythonTypes(given);
  return text.slice(text.indexOf("\n\n\n") + 3);
};

describe("Python's types from an OpenAPI document", () => {
  test("a TypedDict for each schema, with its sentences and bounds", () => {
    const parcel = {
      type: "object",
      description: "A parcel.",
      properties: {
        name: { type: "string", description: "Its name.", maxLength: 200 },
        count: { type: "integer" },
        weight: { type: "number", exclusiveMinimum: 0, maximum: 1000 },
        tags: { type: "array", items: { type: "string" } },
        more: { type: "object" },
      },
      required: ["name", "count", "weight"],
    };
    expect(typesOf(document({ Parcel: parcel }))).toBe(`class Parcel(TypedDict):
    """A parcel."""

    name: str
    """Its name. At most 200 characters."""

    count: int
    weight: float
    """Greater than 0, at most 1000."""

    tags: NotRequired[list[str]]
    more: NotRequired[dict[str, Any]]
`);
  });

  test("requests have today's values; responses may have others later, except in members that tell kinds of objects apart", () => {
    const properties = {
      object: { type: "string", const: "thing" },
      states: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      amount: { type: "number", const: 5 },
      test: { type: "boolean", const: true },
    };
    const thing = { type: "object", properties, required: Object.keys(properties) };
    const schemas = { Input: thing, Answer: thing, Code: { type: "string", enum: ["x", "y"] } };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Input" } } };
    const given = { ...document(schemas), paths: { "/things": { post: { requestBody: { content } } } } };
    expect(typesOf(given)).toBe(`class Input(TypedDict):
    object: Literal["thing"]
    states: list[Literal["a", "b"]]
    amount: Literal[5]
    test: Literal[True]


class Answer(TypedDict):
    object: Literal["thing"]
    states: list[Union[Literal["a", "b"], str]]
    amount: float
    test: bool


Code = Literal["x", "y"]
`);
  });

  test("an object inside of another gets a name from where it stands", () => {
    const charge = { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] };
    const label = { type: "object", properties: { paid_charge: charge }, required: ["paid_charge"] };
    expect(typesOf(document({ Label: label }))).toBe(`class LabelPaidCharge(TypedDict):
    amount: int


class Label(TypedDict):
    paid_charge: LabelPaidCharge
`);
  });

  test("a member whose name no class can have stands in one that is derived from", () => {
    const order = {
      type: "object",
      properties: { from: { $ref: "#/components/schemas/Address" }, to: { type: "string" } },
      required: ["from"],
    };
    expect(typesOf(document({ Order: order }))).toBe(`_Order = TypedDict("_Order", {"from": "Address"})


class Order(_Order):
    to: NotRequired[str]
`);
  });

  test("a sentence cannot end its comment, nor escape from it", () => {
    const schema = { type: "string", description: 'A """quoted""" \\ "text"' };
    expect(typesOf(document({ Note: schema }))).toBe(`Note = str\n"""A \\"\\""quoted\\"\\"" \\\\ "text\\""""\n`);
  });

  test("the bodies of the webhooks are one type, WebhookEvent, with a member for those of tomorrow", () => {
    const event = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    expect(typesOf(document({ MadeEvent: event, LostEvent: event }))).toMatch(
      /^class UnknownEvent\(TypedDict\):\n[\s\S]+\n\n\nWebhookEvent = Union\[MadeEvent, LostEvent, UnknownEvent\]\n"""/m,
    );
  });

  test("a keyword that it does not know ends it, before it says less than the document", () => {
    expect(() => typesOf(document({ Input: { oneOf: [] } as object }))).toThrow("Unknown type for oneOf");
    expect(() => typesOf(document({ Input: { type: "null" } }))).toThrow("Unknown type for");
    const optional = { type: "object", properties: { from: { type: "string" } } };
    expect(() => typesOf(document({ Input: optional }))).toThrow("from");
  });
});
