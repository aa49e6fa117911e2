import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { newId } from "@shipping/kit/ids";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller, newClaim, textIn, toSnapshot } from "@shipping/kit/testing/writes";
import {
  GetOrderRequestSchema,
  GetShipmentRequestSchema,
  ListOrdersRequestSchema,
  ListShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { orderRequest, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createOrder } from "../write/create-order.js";
import { createShipment } from "../write/create-shipment.js";
import { getOrder, getShipment, listOrders, listShipments } from "./read-records.js";

const records = forAllTests(recordsUnderTest);

const claim = () => ({ ...newClaim(), requestedBy: "key_a", requestId: "req_a" });
const metadata = { text: '{"n":1e-7,"z":{"__proto__":[true,null]},"a":"ü"}' };

describe("getOrder and getShipment", () => {
  test("return exactly the answer of the creation", async () => {
    const caller = newCaller();
    const order = toSnapshot(await createOrder(records.deps, orderRequest(caller, { metadata }))).json;
    const gotOrder = await getOrder(records.deps, create(GetOrderRequestSchema, { caller, id: order.id }));
    expect(textIn(gotOrder)).toBe(JSON.stringify(order));

    const request = shipmentRequest(caller, { metadata, orderId: order.id });
    const shipment = toSnapshot(await createShipment(records.deps, request)).json;
    const gotShipment = await getShipment(records.deps, create(GetShipmentRequestSchema, { caller, id: shipment.id }));
    expect(textIn(gotShipment)).toBe(JSON.stringify(shipment));
  });

  test("say who made it, by which request, and the event that it caused", async () => {
    const caller = newCaller();
    const order = toSnapshot(await createOrder(records.deps, orderRequest(caller, { claim: claim() }))).json;
    const shipment = toSnapshot(await createShipment(records.deps, shipmentRequest(caller, { claim: claim() }))).json;
    await records.deps.outbox.stop();
    const eventOf = (id: string) => records.published.find(({ body }) => Buffer.from(body).includes(id))?.id;

    const foundOrder = await getOrder(records.deps, create(GetOrderRequestSchema, { caller, id: order.id }));
    expect(foundOrder.created).toMatchObject({ requestedBy: "key_a", requestId: "req_a", eventId: eventOf(order.id) });

    const wanted = create(GetShipmentRequestSchema, { caller, id: shipment.id });
    const foundShipment = await getShipment(records.deps, wanted);
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
    const { created } = await getOrder(records.deps, create(GetOrderRequestSchema, { caller, id }));
    expect(created).toMatchObject({ requestedBy: "", requestId: "", eventId: "" });
  });

  test("not_found for a missing id, another account's, and the other environment's", async () => {
    const caller = newCaller();
    const order = toSnapshot(await createOrder(records.deps, orderRequest(caller))).json;
    const shipment = toSnapshot(await createShipment(records.deps, shipmentRequest(caller))).json;
    for (const who of [newCaller(), { ...caller, environment: "live" as const }]) {
      const readOrder = getOrder(records.deps, create(GetOrderRequestSchema, { caller: who, id: order.id }));
      await expect(readOrder).rejects.toMatchObject({ code: "not_found" });
      const readShipment = getShipment(
        records.deps,
        create(GetShipmentRequestSchema, { caller: who, id: shipment.id }),
      );
      await expect(readShipment).rejects.toMatchObject({ code: "not_found" });
    }
    const missing = getOrder(records.deps, create(GetOrderRequestSchema, { caller, id: newId("ord", randomBytes) }));
    await expect(missing).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("listOrders and listShipments", () => {
  test("show each record exactly as its creation answered it", async () => {
    const caller = newCaller();
    const order = toSnapshot(await createOrder(records.deps, orderRequest(caller, { metadata }))).json;
    const request = shipmentRequest(caller, { metadata, orderId: order.id });
    const shipment = toSnapshot(await createShipment(records.deps, request)).json;
    const page = { caller, limit: 25 };
    const orders = await listOrders(records.deps, create(ListOrdersRequestSchema, page));
    expect(textIn(orders)).toBe(JSON.stringify([order]));
    const shipments = await listShipments(records.deps, create(ListShipmentsRequestSchema, page));
    expect(textIn(shipments)).toBe(JSON.stringify([shipment]));
  });

  test("a page costs the same however many records there are", async () => {
    const { db, statements } = watched(records.deps.db);
    const deps = { ...records.deps, db };
    const page = { caller: newCaller(), limit: 25 };
    await listOrders(deps, create(ListOrdersRequestSchema, page));
    await listShipments(deps, create(ListShipmentsRequestSchema, page));
    const costly = await Promise.all(statements.map((statement) => costlyNodes(db, statement)));
    expect(costly).toEqual([[], []]);
  });

  test("a list is the caller's alone", async () => {
    const [caller, other] = [newCaller(), newCaller()];
    await createShipment(records.deps, shipmentRequest(other));
    await createShipment(records.deps, shipmentRequest({ ...caller, environment: "live" }));
    const answer = await listShipments(records.deps, create(ListShipmentsRequestSchema, { caller, limit: 25 }));
    expect(jsonIn(answer)).toEqual([]);
    expect(answer.nextCursor).toBeUndefined();
  });
});
