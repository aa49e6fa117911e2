import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { openTransaction } from "@shipping/kit/testing/database";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { lockWaits } from "@shipping/kit/testing/locks";
import { costlyNodes, usedIndexes, watched } from "@shipping/kit/testing/plans";
import { jsonIn, newCaller } from "@shipping/kit/testing/writes";
import {
  ApplyLabelEventRequestSchema,
  ApplyLabelEventsRequestSchema,
  GetShipmentRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { getShipment } from "../read/read-records.js";
import { recordsUnderTest } from "../testing/records-under-test.js";
import { applyLabelEvent, applyLabelEvents } from "./apply-label-event.js";

const records = forAllTests(recordsUnderTest);

async function newShipmentOf(caller: Caller): Promise<string> {
  return (await records.newShipment(caller)).id;
}

function eventOf(caller: Caller, type: string, shipmentId: string) {
  const data = JSON.stringify({
    id: "lbl_1",
    object: "label",
    shipment_id: shipmentId,
    tracking_number: "TEST00340434",
  });
  const { now, random } = records.deps;
  return newEvent({ type, caller, data, now: now(), random });
}

function apply(caller: Caller, type: string, shipmentId: string, deps = records.deps) {
  const event = eventOf(caller, type, shipmentId);
  return applyLabelEvent(deps, create(ApplyLabelEventRequestSchema, { caller, event }));
}

async function read(caller: Caller, id: string) {
  const { status, label_id } = jsonIn(
    await getShipment(records.deps, create(GetShipmentRequestSchema, { caller, id })),
  );
  return { status, labelId: label_id };
}

describe("applyLabelEvent", () => {
  const caller = newCaller();

  const [created, voided] = ["label.created", "label.voided"];
  test.each([
    ["label.created makes the draft label_created and names the label", [created], "label_created"],
    ["label.voided makes it voided", [created, voided], "voided"],
    [
      "each event may come again, and never moves the shipment back",
      [created, created, voided, voided, created],
      "voided",
    ],
    ["label.voided that overtakes label.created counts", [voided], "voided"],
    ["a late label.created changes nothing", [voided, created], "voided"],
  ])("%s", async (_what, types, status) => {
    const id = await newShipmentOf(caller);
    for (const type of types) await apply(caller, type, id);
    expect(await read(caller, id)).toEqual({ status, labelId: "lbl_1" });
  });

  test("an event of another account or environment changes nothing", async () => {
    const id = await newShipmentOf(caller);
    await apply(newCaller(), "label.created", id);
    await apply({ ...caller, environment: "live" }, "label.created", id);
    expect(await read(caller, id)).toEqual({ status: "draft", labelId: undefined });
  });

  test("both events of many shipments at the same instant, in any order, end voided", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => newShipmentOf(caller)));
    const events = ids.flatMap((id) => ["label.created", "label.voided"].map((type) => ({ id, type })));
    const anyOrder = [...events, ...events.toReversed()];
    await Promise.all(anyOrder.map(({ id, type }) => apply(caller, type, id)));
    const ends = await Promise.all(ids.map((id) => read(caller, id)));
    expect(ends).toEqual(ids.map(() => ({ status: "voided", labelId: "lbl_1" })));
  });

  test("of events that share a statement, one with an id that no text can hold fails alone", async () => {
    const [first, second] = [await newShipmentOf(caller), await newShipmentOf(caller)];
    const applied = [first, "shp_\u0000", second].map((id) => apply(caller, "label.created", id));
    const ends = await Promise.allSettled(applied);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await read(caller, second)).toEqual({ status: "label_created", labelId: "lbl_1" });
  });

  test("events of several accounts in one call share a statement, and each changes its caller's shipment", async () => {
    const callers = [caller, newCaller(), newCaller()];
    const ids = await Promise.all(callers.map(newShipmentOf));
    const events = callers.map((each, at) => eventOf(each, "label.created", ids[at]!));
    const { db, statements } = watched(records.deps.db);
    await applyLabelEvents({ ...records.deps, db }, create(ApplyLabelEventsRequestSchema, { events }));
    // One changes shipments, the other what they are found by.
    expect(statements).toHaveLength(2);
    const ends = await Promise.all(callers.map((each, at) => read(each, ids[at]!)));
    expect(ends).toEqual(ids.map(() => ({ status: "label_created", labelId: "lbl_1" })));
  });

  test("events that share a statement wait for one shipment at a time, in the order of IDs, and see what has become of it", async () => {
    const ids = [await newShipmentOf(caller), await newShipmentOf(caller)].sort() as [string, string];
    const events = ids.toReversed().map((id) => eventOf(caller, "label.created", id));
    const { db } = records.deps;
    const other = await openTransaction(db);
    let applying: Promise<unknown> | undefined;
    try {
      await other.query("UPDATE shipments SET status = 'voided', label_id = 'lbl_0' WHERE id = $1", [ids[0]]);
      applying = applyLabelEvents(records.deps, create(ApplyLabelEventsRequestSchema, { events }));
      await lockWaits(db);
      await other.query("SELECT FROM shipments WHERE id = $1 FOR UPDATE NOWAIT", [ids[1]]);
      await other.query("COMMIT");
    } finally {
      other.release(true);
    }
    await applying;
    expect(await read(caller, ids[0])).toEqual({ status: "voided", labelId: "lbl_0" });
    expect(await read(caller, ids[1])).toEqual({ status: "label_created", labelId: "lbl_1" });
  });

  test("an event that comes again writes nothing", async () => {
    const id = await newShipmentOf(caller);
    const version = () =>
      records.deps.db.run(sql`
        SELECT s.xmin::text AS shipment, r.xmin::text AS text FROM shipments AS s JOIN shipment_search_recent AS r USING (id) WHERE id = ${id}`);
    for (const type of ["label.created", "label.voided"]) {
      await apply(caller, type, id);
      const before = await version();
      await apply(caller, type, id);
      expect(await version()).toEqual(before);
    }
  });

  test("an event that is no label event is refused, and so is none", async () => {
    const refusal = { code: "internal_error", message: "The event is not a label event." };
    await expect(apply(caller, "order.created", "shp_1")).rejects.toMatchObject(refusal);
    const none = applyLabelEvent(records.deps, create(ApplyLabelEventRequestSchema, { caller }));
    await expect(none).rejects.toMatchObject(refusal);
  });
});

test("the shipment is found by its key alone, also by a plan that was made for an empty table", async () => {
  const { deps, end } = await recordsUnderTest();
  const { db, statements } = watched(deps.db);
  await apply(newCaller(), "label.created", "shp_1", { ...deps, db });
  expect(await usedIndexes(deps.db, statements[0]!)).toEqual(["shipments_pkey", "shipments_pkey"]);
  for (const statement of statements) expect(await costlyNodes(deps.db, statement)).toEqual([]);
  await end();
});
