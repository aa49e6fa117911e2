import { labelOf, labelRefusal, voided } from "./label.js";

const row = {
  id: "lbl_1",
  shipmentId: "shp_1",
  status: "created",
  carrier: "service_sandbox",
  trackingNumber: "TEST1",
  createdAt: new Date("2026-11-21T10:00:00.000Z"),
  voidedAt: null,
};
const now = new Date("2026-11-22T10:00:00.005Z");

describe("labelOf", () => {
  test("costs nothing, is a test, and names the path of its file", () => {
    expect(labelOf(row)).toMatchObject({
      object: "label",
      format: "pdf",
      downloadPath: "/api/v1/labels/lbl_1/file",
      charge: { currency: "EUR", amount: 0 },
      test: true,
      createdAt: "2026-11-21T10:00:00.000Z",
    });
  });

  test("has voided_at only once it is voided", () => {
    expect(labelOf(row).voidedAt).toBeUndefined();
    expect(labelOf(voided(row, now))).toMatchObject({ status: "voided", voidedAt: "2026-11-22T10:00:00.005Z" });
  });
});

test("a voided label is voided once: the time of the first stays", () => {
  const first = voided(row, now);
  expect(voided(first, new Date())).toEqual(first);
  expect(row.status).toBe("created");
});

test.each([
  ["draft", undefined],
  ["label_created", "label_exists"],
  ["created", "label_exists"],
  ["voided", "shipment_voided"],
])("a shipment that is or whose label is %s is refused with %s", (status, code) => {
  expect(labelRefusal(status)?.code).toBe(code);
});
