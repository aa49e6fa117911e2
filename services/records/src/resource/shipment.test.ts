import { create } from "@bufbuild/protobuf";
import { newCaller, newClaim } from "@shipping/kit/testing/writes";
import { CreateOrderRequestSchema, CreateShipmentRequestSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { newOrder, orderJson } from "./order.js";
import { newShipment, shipmentJson } from "./shipment.js";

const now = new Date("2026-11-21T10:00:00.007Z");
const required = { name: 'Ada "A" \u2028', street1: "1 Long Lane", city: "Köln", postalCode: "50667", country: "DE" };
const optional = { company: "Navy", street2: "Rear", state: "NW", email: "a@example.com", phone: "+49 1" };
const given = {
  reference: "A\\1\n\u0001",
  from: { ...optional, ...required },
  to: required,
  parcel: { weightKg: 1e-7, lengthCm: 30, widthCm: 20.5, heightCm: 1 },
};
const metadata = { text: '{"z":{"__proto__":[true,null]},"n":1e-7}' };

const REFERENCE = '"reference":"A\\\\1\\n\\u0001"';
const REQUIRED = `"name":"Ada \\"A\\" \u2028","street1":"1 Long Lane","city":"Köln","postal_code":"50667","country":"DE"`;
const OPTIONAL = '"company":"Navy","street2":"Rear","state":"NW","email":"a@example.com","phone":"+49 1"';
const PARCEL = '"parcel":{"weight_kg":1e-7,"length_cm":30,"width_cm":20.5,"height_cm":1}';
const GIVEN = `${REFERENCE},"from":{${REQUIRED},${OPTIONAL}},"to":{${REQUIRED}},${PARCEL}`;
const CREATED = '"created_at":"2026-11-21T10:00:00.007Z"';

const order = (extra = {}, caller = newCaller()) =>
  orderJson(
    newOrder(create(CreateOrderRequestSchema, { ...given, claim: newClaim(), ...extra }), caller, "ord_1", now),
  );
const shipmentRow = (extra = {}) =>
  newShipment(create(CreateShipmentRequestSchema, { ...given, ...extra }), newCaller(), "shp_1", now);

describe("the public order", () => {
  test("has its members in one order, what is optional where it was given", () => {
    const head = '{"id":"ord_1","object":"order","status":"received"';
    expect(order()).toBe(`${head},${GIVEN},"livemode":false,${CREATED}}`);
    expect(order({ metadata })).toBe(`${head},${GIVEN},"metadata":${metadata.text},"livemode":false,${CREATED}}`);
    expect(order({}, newCaller("live"))).toContain('"livemode":true');
  });

  test("is never made of less than the addresses and the parcel", () => {
    for (const missing of ["from", "to", "parcel"]) expect(() => order({ [missing]: undefined })).toThrow(/gateway/);
  });
});

describe("the public shipment", () => {
  const head = (status: string) => `{"id":"shp_1","object":"shipment","status":"${status}"`;

  test("is a draft of no order and no label, unless it was given an order", () => {
    expect(shipmentJson(shipmentRow())).toBe(`${head("draft")},${GIVEN},"livemode":false,${CREATED}}`);
    const ofOrder = shipmentRow({ metadata, orderId: "ord_1" });
    const rest = `"metadata":${metadata.text},"order_id":"ord_1","livemode":false`;
    expect(shipmentJson(ofOrder)).toBe(`${head("draft")},${GIVEN},${rest},${CREATED}}`);
  });

  test("names its label once it has one", () => {
    const labelled = { ...shipmentRow({ orderId: "ord_1" }), status: "label_created", labelId: "lbl_1" };
    const rest = '"order_id":"ord_1","label_id":"lbl_1","livemode":false';
    expect(shipmentJson(labelled)).toBe(`${head("label_created")},${GIVEN},${rest},${CREATED}}`);
  });
});
