import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller, newClaim, textIn } from "@shipping/kit/testing/writes";
import {
  GetOrderRequestSchema,
  GetShipmentRequestSchema,
  ListOrdersRequestSchema,
  ListShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import { recordsUnderTest } from "../testing/records-under-test.js";
import { forgetCreator } from "../testing/stored-records.js";
import { getOrder, getShipment, listOrders, listShipments } from "./read-records.js";

const records = forAllTests(recordsUnderTest);

const readOrder = (caller: Caller, id: string) => getOrder(records.deps, create(GetOrderRequestSchema, { caller, id }));
const readShipment = (caller: Caller, id: string) =>
  getShipment(records.deps, create(GetShipmentRequestSchema, { caller, id }));
const orders = (caller: Caller, deps = records.deps) =>
  listOrders(deps, create(ListOrdersRequestSchema, { caller, limit: 25 }));
const shipments = (caller: Caller, deps = records.deps) =>
  listShipments(deps, create(ListShipmentsRequestSchema, { caller, limit: 25 }));

test("reads and lists show exactly the answer of the creation", async () => {
  const caller = newCaller();
  const metadata = { text: '{"n":1e-7,"z":{"__proto__":[true,null]},"a":"ü"}' };
  const order = await records.newOrder(caller, { metadata });
  const shipment = await records.newShipment(caller, { metadata, orderId: order.id });
  expect(textIn(await readOrder(caller, order.id))).toBe(JSON.stringify(order));
  expect(textIn(await orders(caller))).toBe(JSON.stringify([order]));
  expect(textIn(await readShipment(caller, shipment.id))).toBe(JSON.stringify(shipment));
  expect(textIn(await shipments(caller))).toBe(JSON.stringify([shipment]));
});

test("reads say who made it, by which request, and the event that it caused", async () => {
  const caller = newCaller();
  const claim = () => ({ ...newClaim(), requestedBy: "key_a", requestId: "req_a" });
  const order = await records.newOrder(caller, { claim: claim() });
  const shipment = await records.newShipment(caller, { claim: claim() });
  await records.deps.outbox.stop();
  const madeBy = (id: string) => {
    const event = records.published.find(({ body }) => Buffer.from(body).includes(id));
    return { requestedBy: "key_a", requestId: "req_a", eventId: event?.id };
  };
  expect((await readOrder(caller, order.id)).created).toMatchObject(madeBy(order.id));
  expect((await readShipment(caller, shipment.id)).created).toMatchObject(madeBy(shipment.id));
  for (const { id } of [order, shipment]) await forgetCreator(records.deps.db, id);
  const unknown = { requestedBy: "", requestId: "", eventId: "" };
  expect((await readOrder(caller, order.id)).created).toMatchObject(unknown);
  expect((await readShipment(caller, shipment.id)).created).toMatchObject(unknown);
});

test("not_found for a missing id, another account's, and the other environment's, and lists are the caller's alone", async () => {
  const caller = newCaller();
  const [order, shipment] = [await records.newOrder(caller), await records.newShipment(caller)];
  for (const who of [newCaller(), { ...caller, environment: "live" as const }]) {
    await expect(readOrder(who, order.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(readShipment(who, shipment.id)).rejects.toMatchObject({ code: "not_found" });
    expect([jsonIn(await orders(who)), jsonIn(await shipments(who))]).toEqual([[], []]);
  }
  await expect(readOrder(caller, newId("ord", randomBytes))).rejects.toMatchObject({ code: "not_found" });
});

test("a page costs the same however many records there are", async () => {
  const { db, statements } = watched(records.deps.db);
  await orders(newCaller(), { ...records.deps, db });
  await shipments(newCaller(), { ...records.deps, db });
  const costly = await Promise.all(statements.map((statement) => costlyNodes(db, statement)));
  expect(costly).toEqual([[], []]);
});
