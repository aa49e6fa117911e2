import { create } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { openTransaction } from "@shipping/kit/testing/database";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { lockWaits } from "@shipping/kit/testing/locks";
import { countIn } from "@shipping/kit/testing/rows";
import { jsonIn, newCaller } from "@shipping/kit/testing/writes";
import { SearchShipmentsRequestSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { recordsUnderTest } from "../testing/records-under-test.js";
import { hashRecent } from "./hash-recent.js";
import { searchShipments } from "./search-records.js";
import { addTrackingNumbers } from "./search-rows.js";

const records = forAllTests(recordsUnderTest);

async function newTracked(trackingNumber: string) {
  const caller = newCaller();
  const shipmentId: string = (await records.newShipment(caller)).id;
  return { caller, shipmentId, trackingNumber };
}

async function find(caller: Caller, text: string): Promise<string[]> {
  const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, text } });
  return jsonIn(await searchShipments(records.deps, request)).map(({ id }: { id: string }) => id);
}

const hash = (caller: Caller) => hashRecent(records.deps, { ...caller, table: "shipments" }, 0);

async function expectFound({ caller, shipmentId }: { caller: Caller; shipmentId: string }): Promise<void> {
  for (const text of ["4043", "0434", "00340434", "1234 4043", "٤٠٤٣", "grace 4043"]) {
    expect([text, await find(caller, text)]).toEqual([text, [shipmentId]]);
    expect(await find(newCaller(), text)).toEqual([]);
    expect(await find({ ...caller, environment: "live" }, text)).toEqual([]);
  }
  expect(await find(caller, "4340")).toEqual([]);
}

test.each(["before", "after"] as const)(
  "a shipment is found by four digits or more of its tracking number, added %s it has hashes",
  async (when) => {
    const tracked = await newTracked("JD1234-00340434XY12");
    if (when === "after") await hash(tracked.caller);
    expect(await find(tracked.caller, "4043")).toEqual([]);
    expect(await addTrackingNumbers(records.deps, [tracked])).toEqual(when === "after" ? [tracked] : []);
    const { accountId } = tracked.caller;
    // The text without the digits stays until the other has hashes, so that no search misses its shipment.
    expect(await countIn(records.deps.db, "shipment_search", { accountId })).toBe(when === "after" ? 1 : 0);
    for (const recent of [1, 0]) {
      expect(await countIn(records.deps.db, "shipment_search_recent", { accountId })).toBe(recent);
      await expectFound(tracked);
      expect(await find(tracked.caller, "grace")).toEqual([tracked.shipmentId]);
      await hash(tracked.caller);
    }
    expect(await countIn(records.deps.db, "shipment_search", { accountId })).toBe(1);
  },
);

test("digits are added once, and those of a number without four in a row, or of a shipment that is gone, never", async () => {
  const [first, short, gone] = [
    await newTracked("JD1234-00340434"),
    await newTracked("AB123C456"),
    await newTracked("1234"),
  ];
  await records.deps.db.run(sql`DELETE FROM shipments WHERE id = ${gone.shipmentId}`);
  const text = () =>
    records.deps.db.run(sql`
      SELECT xmin::text AS version, text FROM shipment_search_recent WHERE id IN (${first.shipmentId}, ${short.shipmentId}) ORDER BY id`);
  await addTrackingNumbers(records.deps, [first, short, gone]);
  const added = await text();
  expect(JSON.stringify(added).match(/ 1234 00340434 /g)).toHaveLength(1);
  expect(await addTrackingNumbers(records.deps, [first, short, gone])).toEqual([]);
  expect(await text()).toEqual(added);
  await hash(first.caller);
  expect(await addTrackingNumbers(records.deps, [first])).toEqual([]);
  expect(await countIn(records.deps.db, "shipment_search", { accountId: first.caller.accountId })).toBe(1);
});

test("a text that gets hashes meanwhile gets its digits, too", async () => {
  const tracked = await newTracked("JD1234-00340434");
  const { db } = records.deps;
  const other = await openTransaction(db);
  try {
    // As the worker's statement does, which has not ended yet.
    await other.query("DELETE FROM shipment_search_recent WHERE id = $1", [tracked.shipmentId]);
    await other.query(
      `INSERT INTO shipment_search (account_id, environment, id, created_at, text, hashes)
       SELECT account_id, environment, id, created_at, ' grace ', '{}' FROM shipments WHERE id = $1`,
      [tracked.shipmentId],
    );
    const adding = addTrackingNumbers(records.deps, [tracked]);
    await lockWaits(db);
    await other.query("COMMIT");
    expect(await adding).toEqual([tracked]);
  } finally {
    other.release(true);
  }
  await expectFound(tracked);
});

test("a text that gets its digits while it is hashed is left to the next turn", async () => {
  const tracked = await newTracked("JD1234-00340434");
  const { db } = records.deps;
  const runList: typeof db.runList = async (statement, options) => {
    if (statement.text.includes("DELETE")) await addTrackingNumbers(records.deps, [tracked]);
    return db.runList(statement, options);
  };
  const owner = { ...tracked.caller, table: "shipments" as const };
  expect(await hashRecent({ db: { ...db, runList } }, owner, 0)).toBe(false);
  await expectFound(tracked);
  expect(await hashRecent(records.deps, owner, 0)).toBe(true);
  await expectFound(tracked);
});

test("a text that another process changes is not waited for", async () => {
  const tracked = await newTracked("JD1234-00340434");
  const other = await openTransaction(records.deps.db);
  try {
    await other.query("SELECT FROM shipment_search_recent WHERE id = $1 FOR UPDATE", [tracked.shipmentId]);
    expect(await hash(tracked.caller)).toBe(false);
    await other.query("COMMIT");
  } finally {
    other.release(true);
  }
  expect(await hash(tracked.caller)).toBe(true);
});
