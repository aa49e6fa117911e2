import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { InspectLabelRequestSchema, SearchLabelsRequestSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import { createLabel } from "./create-label.js";
import { inspectLabel, searchLabels } from "./find-labels.js";
import { carrierUnderTest, labelRequest, patient, voidRequest } from "./testing/carrier-under-test.js";
import { voidLabel } from "./void-label.js";

let carrier: Awaited<ReturnType<typeof carrierUnderTest>>;
beforeAll(async () => {
  carrier = await carrierUnderTest();
});
afterAll(() => carrier.end());

interface Wanted {
  limit?: number;
  text?: string;
  ids?: string[];
  status?: string;
  after?: string;
  createdFrom?: string;
}

async function find(caller: Caller, search: Wanted = {}, deps = carrier.deps) {
  const request = create(SearchLabelsRequestSchema, { caller, search: { limit: 50, ...search } });
  const { labels, nextCursor } = await searchLabels(deps, request);
  return { ids: labels.map(({ id }) => id), nextCursor, labels };
}

/** Three labels, an hour apart, the oldest first; the second is voided. */
async function threeLabels(caller: Caller) {
  const labels = [await carrier.newLabel(caller), await carrier.newLabel(caller), await carrier.newLabel(caller)];
  for (const [nth, { id }] of labels.entries()) {
    await carrier.deps.db.run(
      sql`UPDATE labels SET created_at = ${new Date(Date.UTC(2026, 10, 21, nth))} WHERE id = ${id}`,
    );
  }
  await voidLabel(carrier.deps, voidRequest(caller, labels[1].id), patient);
  return labels;
}

describe("searchLabels", () => {
  test("lists the newest first, in pages, of one state or both", async () => {
    const caller = newCaller();
    const [first, second, third] = await threeLabels(caller);
    expect((await find(caller)).ids).toEqual([third.id, second.id, first.id]);
    const page = await find(caller, { limit: 2 });
    expect(page).toMatchObject({ ids: [third.id, second.id], nextCursor: second.id });
    expect(await find(caller, { limit: 2, after: second.id })).toMatchObject({
      ids: [first.id],
      nextCursor: undefined,
    });
    expect((await find(caller, { status: "voided" })).ids).toEqual([second.id]);
    expect((await find(caller, { createdFrom: "2026-11-21T01:00:00Z", status: "created" })).ids).toEqual([third.id]);
  });

  test("finds by id, tracking number and shipment, and what is named beside the text", async () => {
    const caller = newCaller();
    const [first, second] = await threeLabels(caller);
    for (const text of [first.id, first.tracking_number, first.shipment_id]) {
      expect((await find(caller, { text })).ids).toEqual([first.id]);
      expect((await find(newCaller(), { text })).ids).toEqual([]);
      expect((await find({ ...caller, environment: "live" }, { text })).ids).toEqual([]);
    }
    expect((await find(caller, { text: "nothing", ids: [second.id] })).ids).toEqual([second.id]);
    for (const text of ["TEST", "%", "lbl_\0"]) expect((await find(caller, { text })).ids).toEqual([]);
  });

  test("reads its rows by an index, however many there are", async () => {
    const { db, statements } = watched(carrier.deps.db);
    const deps = { ...carrier.deps, db };
    const caller = newCaller();
    const { id } = await carrier.newLabel(caller);
    await find(caller, { after: id }, deps);
    await find(caller, { text: "a", ids: [id] }, deps);
    expect(statements).toHaveLength(3);
    for (const statement of statements) expect(await costlyNodes(db, statement)).toEqual([]);
  });
});

describe("inspectLabel", () => {
  test("answers the label, its rate, who made it and who voided it, with requests and events", async () => {
    const caller = newCaller();
    const { id: shipmentId } = carrier.newShipment(caller);
    const made = { ...newClaim(), requestedBy: "key_a", requestId: "req_a" };
    const { id } = toSnapshot(await createLabel(carrier.deps, labelRequest(caller, shipmentId, made), patient)).json;
    const wanted = create(InspectLabelRequestSchema, { caller, id });
    const fresh = await inspectLabel(carrier.deps, wanted);
    expect(JSON.parse(Buffer.from(fresh.rate).toString())).toMatchObject({ id: `rate_test_${shipmentId}`, amount: 5 });
    expect(fresh.voided).toBeUndefined();

    const over = { ...newClaim(), requestedBy: "ada@example.com", requestId: "req_b" };
    await voidLabel(carrier.deps, voidRequest(caller, id, over), patient);
    // Voided again by another: nothing changes.
    await voidLabel(carrier.deps, voidRequest(caller, id, { ...newClaim(), requestedBy: "key_b" }), patient);
    await carrier.deps.outbox.stop();
    const [createdEvent, voidedEvent] = carrier.published.filter(({ body }) => Buffer.from(body).includes(id));
    const answer = await inspectLabel(carrier.deps, wanted);
    expect(jsonIn(answer)).toMatchObject({ id, status: "voided", shipment_id: shipmentId });
    expect(answer.created).toMatchObject({ requestedBy: "key_a", requestId: "req_a", eventId: createdEvent?.id });
    expect(answer.voided).toMatchObject({
      requestedBy: "ada@example.com",
      requestId: "req_b",
      eventId: voidedEvent?.id,
    });
  });

  test("leaves out facts that were not stored earlier, and answers not_found for another caller's label", async () => {
    const caller = newCaller();
    const { id } = await carrier.newLabel(caller);
    await carrier.deps.db.run(sql`UPDATE labels SET rate = NULL, origin = NULL WHERE id = ${id}`);
    const answer = await inspectLabel(carrier.deps, create(InspectLabelRequestSchema, { caller, id }));
    expect([answer.rate.length, answer.created?.eventId]).toEqual([0, ""]);
    for (const who of [newCaller(), { ...caller, environment: "live" as const }]) {
      const asked = inspectLabel(carrier.deps, create(InspectLabelRequestSchema, { caller: who, id }));
      await expect(asked).rejects.toMatchObject({ code: "not_found" });
    }
  });
});

test("no index but the primary key can be taken for that of an account", async () => {
  const rows = await carrier.deps.db.run<{ indexname: string }>(sql`
    SELECT indexname FROM pg_indexes WHERE tablename = 'labels' AND indexdef LIKE '%(account_id, environment,%'`);
  expect(rows).toEqual([{ indexname: "labels_pkey" }]);
});
