import { create } from "@bufbuild/protobuf";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller, newClaim, textIn, toSnapshot } from "@shipping/kit/testing/writes";
import { noSuch } from "@shipping/proto/errors";
import {
  GetLabelFileRequestSchema,
  GetLabelRequestSchema,
  ListLabelsRequestSchema,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { getLabel, getLabelFile, listLabels } from "./read-labels.js";
import { carrierUnderTest } from "./testing/carrier-under-test.js";
import { forgetCreation } from "./testing/stored-labels.js";

const carrier = forAllTests(carrierUnderTest);

type Caller = ReturnType<typeof newCaller>;
const get = (caller: Caller, id: string) => getLabel(carrier.deps, create(GetLabelRequestSchema, { caller, id }));
const file = (caller: Caller, id: string) =>
  getLabelFile(carrier.deps, create(GetLabelFileRequestSchema, { caller, id }));
const list = (caller: Caller, limit: number, after?: string) =>
  listLabels(carrier.deps, create(ListLabelsRequestSchema, { caller, limit, ...(after ? { after } : {}) }));

describe("getLabel", () => {
  test("returns exactly the answer of the creation", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    expect(textIn(await get(caller, label.id))).toBe(JSON.stringify(label));
  });

  test("returns its rate and the authors of its creation and void, with requests and events", async () => {
    const caller = newCaller();
    const { id: shipmentId } = carrier.newShipment(caller);
    const made = { ...newClaim(), requestedBy: "key_a", requestId: "req_a" };
    const { id } = toSnapshot(await carrier.label(caller, shipmentId, made)).json;
    const fresh = await get(caller, id);
    expect(JSON.parse(Buffer.from(fresh.rate).toString())).toMatchObject({ id: `rate_test_${shipmentId}`, amount: 5 });
    expect(fresh.voided).toBeUndefined();

    const over = { ...newClaim(), requestedBy: "ada@example.com", requestId: "req_b" };
    await carrier.void(caller, id, over);
    // A second void by another key has no effect.
    await carrier.void(caller, id, { ...newClaim(), requestedBy: "key_b" });
    await carrier.deps.outbox.stop();
    const [createdEvent, voidedEvent] = carrier.published.filter(({ body }) => Buffer.from(body).includes(id));
    const answer = await get(caller, id);
    expect(answer.created).toMatchObject({ requestedBy: "key_a", requestId: "req_a", eventId: createdEvent?.id });
    expect(answer.voided).toMatchObject({
      requestedBy: "ada@example.com",
      requestId: "req_b",
      eventId: voidedEvent?.id,
    });
  });

  test("leaves out facts that were not stored earlier", async () => {
    const caller = newCaller();
    const { id } = await carrier.newLabel(caller);
    await forgetCreation(carrier.deps.db, id);
    const answer = await get(caller, id);
    expect([answer.rate.length, answer.created?.eventId]).toEqual([0, ""]);
  });
});

describe("getLabelFile", () => {
  test("answers the stored PDF, the same bytes each time", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    const [first, second] = [await file(caller, label.id), await file(caller, label.id)];
    expect(Buffer.from(first.pdf).subarray(0, 5).toString()).toBe("%PDF-");
    expect(Buffer.from(first.pdf).includes(label.tracking_number)).toBe(true);
    expect(second.pdf).toEqual(first.pdf);
    expect(first.trackingNumber).toBe(label.tracking_number);
  });

  test("409 label_voided once the label is voided", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    await carrier.void(caller, label.id);
    await expect(file(caller, label.id)).rejects.toMatchObject({ code: "label_voided" });
  });
});

test("404 for a label that is missing, another account's, or the other environment's", async () => {
  const caller = newCaller();
  const label = await carrier.newLabel(caller);
  for (const [who, id] of [
    [caller, "lbl_missing"],
    [newCaller(), label.id],
    [{ ...caller, environment: "live" as const }, label.id],
  ] as const) {
    await expect(get(who, id)).rejects.toMatchObject({ code: "not_found", message: noSuch("label") });
    await expect(file(who, id)).rejects.toMatchObject({ code: "not_found", message: noSuch("label") });
    expect(jsonIn(await list({ ...who, accountId: newCaller().accountId }, 25))).toEqual([]);
  }
});

describe("listLabels", () => {
  test("the cost of a page does not depend on the number of labels", async () => {
    const { db, statements } = watched(carrier.deps.db);
    await listLabels({ ...carrier.deps, db }, create(ListLabelsRequestSchema, { caller: newCaller(), limit: 25 }));
    expect(await costlyNodes(db, statements[0]!)).toEqual([]);
  });
});
