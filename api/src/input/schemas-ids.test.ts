import { anyTrackingNumber, labelId, orderId, shipmentId, trackingNumber, webhookId } from "./schemas.js";

test.each([
  ["ord", "an order", orderId],
  ["shp", "a shipment", shipmentId],
  ["lbl", "a label", labelId],
  ["whk", "a webhook subscription", webhookId],
])("only an ID that begins with %s_ is that of %s, and can be the cursor of its list", (prefix, resource, schema) => {
  const tail = "_mfrggzdfmztwq2lknnwg23tpoa";
  expect(schema.parse(`${prefix}${tail}`)).toBe(`${prefix}${tail}`);
  for (const other of [tail, `evt${tail}`, prefix])
    expect(schema.safeParse(other).error?.issues).toMatchObject([
      { path: [], message: `must be the next_cursor of the previous page, which is the ID of ${resource}` },
    ]);
});

describe("a tracking number", () => {
  const sandbox = "TEST00000000000000000000";
  const live = ["SIM0123456789ABCDEF", "1Z999AA10123456784", "RR123456789DE", "42-0099", "7", "9".repeat(64)];

  test.each([sandbox, ...live])("in a path may be %s", (number) => {
    expect(anyTrackingNumber.safeParse(number).success).toBe(true);
  });

  test.each(["", "9".repeat(65), "1Z 999", "1Z/999", "..", "1Z\n", "1Z\u0000", "\uff11"])(
    "in a path is not %j",
    (text) => {
      expect(anyTrackingNumber.safeParse(text).success).toBe(false);
    },
  );

  test.each([...live, `X${sandbox}`, `${sandbox}!`])("of the sandbox is not %s", (number) => {
    expect(trackingNumber.safeParse(sandbox).success).toBe(true);
    expect(trackingNumber.safeParse(number).success).toBe(false);
  });
});
