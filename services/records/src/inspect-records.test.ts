import { create } from "@bufbuild/protobuf";
import { jsonIn, newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import {
  InspectOrderRequestSchema,
  InspectShipmentRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { createOrder } from "./create-order.js";
import { createShipment } from "./create-shipment.js";
import { inspectOrder, inspectShipment } from "./inspect-records.js";
import { orderRequest, recordsUnderTest, shipmentRequest } from "./testing/records-under-test.js";

let records: Awaited<ReturnType<typeof recordsUnderTest>>;
beforeAll(async () => {
  records = await recordsUnderTest();
});
afterAll(() => records.end());

const claim = () => ({ ...newClaim(), requestedBy: "key_a", requestId: "req_a" });

describe("inspectOrder and inspectShipment", () => {
  test("return the public resource, who made it, by which request, and the event that it caused", async () => {
    const caller = newCaller();
    const order = toSnapshot(await createOrder(records.deps, orderRequest(caller, { claim: claim() }))).json;
    const shipment = toSnapshot(await createShipment(records.deps, shipmentRequest(caller, { claim: claim() }))).json;
    await records.deps.outbox.stop();
    const eventOf = (id: string) => records.published.find(({ body }) => Buffer.from(body).includes(id))?.id;

    const foundOrder = await inspectOrder(records.deps, create(InspectOrderRequestSchema, { caller, id: order.id }));
    expect(jsonIn(foundOrder)).toEqual(order);
    expect(foundOrder.created).toMatchObject({ requestedBy: "key_a", requestId: "req_a", eventId: eventOf(order.id) });

    const wanted = create(InspectShipmentRequestSchema, { caller, id: shipment.id });
    const foundShipment = await inspectShipment(records.deps, wanted);
    expect(jsonIn(foundShipment)).toEqual(shipment);
    expect(foundShipment.created).toMatchObject({
      requestedBy: "key_a",
      requestId: "req_a",
      eventId: eventOf(shipment.id),
    });
  });

  test("leave out who made an older row", async () => {
    const caller = newCaller();
    const { id } = toSnapshot(await createOrder(records.deps, orderRequest(caller))).json;
    await records.deps.db.run(sql`UPDATE orders SET origin = NULL WHERE id = ${id}`);
    const { created } = await inspectOrder(records.deps, create(InspectOrderRequestSchema, { caller, id }));
    expect(created).toMatchObject({ requestedBy: "", requestId: "", eventId: "" });
  });

  test("not_found for another account's, and the other environment's", async () => {
    const caller = newCaller();
    const order = toSnapshot(await createOrder(records.deps, orderRequest(caller))).json;
    const shipment = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json;
    for (const who of [newCaller(), { ...caller, environment: "live" as const }]) {
      const ofOrder = create(InspectOrderRequestSchema, { caller: who, id: order.id });
      await expect(inspectOrder(records.deps, ofOrder)).rejects.toMatchObject({ code: "not_found" });
      const ofShipment = create(InspectShipmentRequestSchema, { caller: who, id: shipment.id });
      await expect(inspectShipment(records.deps, ofShipment)).rejects.toMatchObject({ code: "not_found" });
    }
  });
});
