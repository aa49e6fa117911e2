import { randomBytes } from "node:crypto";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { rowAfter, trackingJson } from "./tracking.js";

const row = {
  trackingNumber: "TEST1",
  status: "pre_transit",
  carrier: "service_sandbox",
  labelId: "lbl_1",
  shipmentId: "shp_1",
  createdAt: new Date("2026-11-21T10:00:00.000Z"),
  updatedAt: new Date("2026-11-21T10:00:00.005Z"),
  test: true,
};

test("a tracking record's public body", () => {
  expect(JSON.parse(trackingJson(row))).toEqual({
    id: "TEST1",
    object: "tracking",
    tracking_number: "TEST1",
    status: "pre_transit",
    carrier: "service_sandbox",
    label_id: "lbl_1",
    shipment_id: "shp_1",
    events: [],
    test: true,
    created_at: "2026-11-21T10:00:00.000Z",
    updated_at: "2026-11-21T10:00:00.005Z",
  });
});

describe("rowAfter", () => {
  function after(type: string, isTest = true) {
    const label = {
      id: "lbl_1",
      shipment_id: "shp_1",
      tracking_number: "TEST1",
      carrier: "service_sandbox",
      created_at: row.createdAt.toISOString(),
      test: isTest,
    };
    const caller = { accountId: "acc_1", environment: "sandbox" } as const;
    return rowAfter(newEvent({ type, caller, data: JSON.stringify(label), now: row.updatedAt, random: randomBytes }));
  }

  test("label.created makes the record pre_transit, as of the event", () => {
    expect(after("label.created")).toEqual(row);
  });

  test("label.voided makes it voided, and the creation stays the label's", () => {
    expect(after("label.voided")).toEqual({ ...row, status: "voided" });
  });

  test("is a test if the label is one", () => {
    expect(after("label.created", false)?.test).toBe(false);
  });

  test("other events make none", () => {
    expect(after("shipment.created")).toBeUndefined();
  });
});
