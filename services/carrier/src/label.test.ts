import { type LabelRow, labelJson, labelRefusal, voided } from "./label.js";

const row = {
  id: "lbl_1",
  shipmentId: "shp_1",
  status: "created",
  carrier: "service_sandbox",
  trackingNumber: "TEST1",
  format: "pdf",
  currency: "EUR",
  amount: 0,
  test: true,
  createdAt: new Date("2026-11-21T10:00:00.000Z"),
  voidedAt: null,
};
const now = new Date("2026-11-22T10:00:00.005Z");
const json = (of: LabelRow) => JSON.parse(labelJson(of));

describe("labelJson", () => {
  test("has the carrier's price, test flag and format", () => {
    const charged = { ...row, currency: "USD", amount: 7.4, test: false };
    expect(json(charged)).toMatchObject({ charge: { currency: "USD", amount: 7.4 }, test: false, format: "pdf" });
  });

  test("has its members in one order", () => {
    const members = "id object shipment_id status carrier tracking_number format download_path charge test created_at";
    expect(Object.keys(json(voided(row, now))).join(" ")).toBe(`${members} voided_at`);
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
