import { create } from "@bufbuild/protobuf";
import { OrderSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { publicJson } from "./json.js";

describe("publicJson", () => {
  test("writes snake_case names and implicit fields, leaves absent optional ones out", () => {
    const order = create(OrderSchema, {
      id: "ord_1",
      from: { name: "A", postalCode: "1" },
      createdAt: "2026-01-01T00:00:00.000Z",
    });
    const json = JSON.parse(publicJson(OrderSchema, order));
    expect(json).toMatchObject({ id: "ord_1", livemode: false, reference: "", created_at: "2026-01-01T00:00:00.000Z" });
    expect(json.from).toEqual({ name: "A", street1: "", city: "", postal_code: "1", country: "" });
    expect(json).not.toHaveProperty("metadata");
  });

  test("a JsonText field becomes the JSON it holds, a member named __proto__ included", () => {
    const text = '{"__proto__":{"a":1},"constructor":[1e21,null,"\\u2028"]}';
    const body = publicJson(OrderSchema, create(OrderSchema, { metadata: { text } }));
    expect(body).toContain(`"metadata":${JSON.stringify(JSON.parse(text))}`);
    expect(body).toContain('"__proto__":{"a":1}');
  });
});
