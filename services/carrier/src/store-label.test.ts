import { isDeepStrictEqual } from "node:util";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { openTransaction } from "@shipping/kit/testing/database";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { lockWaits } from "@shipping/kit/testing/locks";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller, newClaim } from "@shipping/kit/testing/writes";
import sql, { type Sql } from "sql-template-tag";
import type { BookingRow } from "./bookings/booking.js";
import { dropBooking, endVoided, hasLabel, holdBooking, isHeld, lockIfAsked } from "./bookings/booking-rows.js";
import type { LocalCarrier } from "./carriers/carrier.js";
import { createLabel } from "./create-label.js";
import { labelWriter } from "./start-carrier.js";
import { storeLabel } from "./store-label.js";
import { carrierUnderTest, labelRequest, patient } from "./testing/carrier-under-test.js";
import { remoteUnderTest, unknownBookings } from "./testing/remote-under-test.js";

const carrier = forAllTests(carrierUnderTest);

/** Runs `act` in another process with a transaction of its own. */
async function inTransaction(act: (query: (text: string, values?: unknown[]) => Promise<unknown>) => Promise<void>) {
  const client = await openTransaction(carrier.deps.db);
  try {
    await act((text, values) => client.query(text, values));
    await client.query("COMMIT");
  } finally {
    client.release(true);
  }
}

test("labels that share a statement wait for one shipment at a time, in the order of IDs", async () => {
  const caller = newCaller();
  const shipments = [carrier.newShipment(caller), carrier.newShipment(caller)];
  const [second, first] = shipments.sort((a, b) => (a.id < b.id ? 1 : -1)).map(({ id }) => id) as [string, string];
  const at = new Date();
  const sandbox = carrier.deps.carriers.sandbox as LocalCarrier;
  const bookings = await Promise.all(shipments.map((shipment) => sandbox.book({ shipment, rateId: "", at })));
  const { id: anyLabel } = await carrier.newLabel(caller);
  const insert = `
    INSERT INTO labels SELECT copy.* FROM labels, jsonb_populate_record(labels, $1) AS copy WHERE labels.id = '${anyLabel}'`;
  const another = (id: string, shipment_id: string) => [{ id, shipment_id, tracking_number: id }];
  let storing: Promise<PromiseSettledResult<unknown>[]> | undefined;
  await inTransaction(async (query) => {
    await query(insert, another("lbl_other_1", first));
    storing = Promise.allSettled(
      shipments.map(({ id: shipmentId }, n) => {
        const newLabel = { caller, claim: newClaim(`k${n}`), shipmentId, carrier: sandbox.name, at };
        return storeLabel(carrier.deps, newLabel, bookings[n]!);
      }),
    );
    await lockWaits(carrier.deps.db);
    await query("SET LOCAL lock_timeout = 500");
    await query(insert, another("lbl_other_2", second));
  });
  for (const end of await storing!) expect(end).toMatchObject({ reason: { code: "label_exists" } });
});

test("409 label_exists if the label that was in the way has gone with its account", async () => {
  const caller = newCaller();
  const { shipment_id: shipmentId } = await carrier.newLabel(caller);
  const { db } = carrier.deps;
  const run: typeof db.run = (statement) =>
    db.run(statement).catch(async (error) => {
      await db.run(sql`DELETE FROM label_files WHERE account_id = ${caller.accountId}`);
      await db.run(sql`DELETE FROM labels WHERE account_id = ${caller.accountId}`);
      throw error;
    }) as never;
  const deps = { ...carrier.deps, db: { ...db, run }, ledger: createLedger({ ...db, run }) };
  const second = createLabel(deps, labelRequest(caller, shipmentId), patient);
  await expect(second).rejects.toMatchObject({ code: "label_exists" });
});

test("a label is not stored while its booking is being dropped", async () => {
  const remote = remoteUnderTest(carrier);
  const row = await remote.insert();
  const wanted = { shipment: carrier.newShipment(remote.caller), rateId: "", at: new Date() };
  const active = await remote.carrier.book(row.id, wanted, { signal: AbortSignal.timeout(60_000) });
  let storing: Promise<boolean> | undefined;
  await inTransaction(async (query) => {
    await query("UPDATE bookings SET state = 'cancelling' WHERE id = $1", [row.id]);
    storing = labelWriter(remote.deps).storeLabel(row, active);
    await lockWaits(carrier.deps.db);
  });
  expect(await storing).toBe(false);
  expect([await remote.labels(), await remote.booking(row)]).toMatchObject([[], { state: "cancelling" }]);
});

test("a booking whose number another label has cannot become a label: it is cancelled", async () => {
  const remote = remoteUnderTest(carrier);
  const { tracking_number: number } = await remote.newLabel();
  remote.override({ book: async (...given) => ({ ...(await remote.carrier.book(...given)), trackingNumber: number }) });
  await expect(remote.label(remote.newShipment())).rejects.toMatchObject({
    constraint: "labels_tracking_number_key",
  });
  await remote.settle(1);
  expect(remote.activeBookings()).toMatchObject([{ trackingNumber: number }]);
});

test("a label of a local carrier with a file of more than 1 MiB is not stored", async () => {
  const caller = newCaller();
  const { sandbox } = carrier.deps.carriers;
  const book: LocalCarrier["book"] = async (wanted) => ({
    ...(await (sandbox as LocalCarrier).book(wanted)),
    file: { format: "pdf", bytes: Buffer.alloc(1_048_577) },
  });
  const deps = {
    ...carrier.deps,
    carriers: { ...carrier.deps.carriers, sandbox: { ...sandbox, book } as LocalCarrier },
  };
  const refused = createLabel(deps, labelRequest(caller, carrier.newShipment(caller).id), patient);
  await expect(refused).rejects.toMatchObject({ code: "internal_error" });
  expect(await countIn(deps.db, "labels", { ...caller })).toBe(0);
});

type Remote = ReturnType<typeof remoteUnderTest>;

describe("in the statement that stores a label or a void", () => {
  /** Returns true if a statement with such a claim changes the booking. */
  async function changes({ deps, booking }: Remote, row: BookingRow, change: Sql, hasClaim = true): Promise<boolean> {
    const before = await booking(row);
    await deps.db.run(sql`WITH claim AS (SELECT WHERE ${hasClaim}::boolean), changed AS (${change}) SELECT`);
    return !isDeepStrictEqual(await booking(row), before);
  }

  test("a booking is locked while it may become a label", async () => {
    const { deps, insert } = remoteUnderTest(carrier);
    const [row] = [await insert(), await insert()];
    const locked = async (wanted: BookingRow) => (await deps.db.run(lockIfAsked(wanted))).length;
    expect(await Promise.all([row, ...unknownBookings(row)].map(locked))).toEqual([1, 0, 0]);
    await dropBooking(deps, row);
    expect(await locked(row)).toBe(0);
  });

  test("a booking is held for the label in the claim, and checked again unless its only call has been answered", async () => {
    const remote = remoteUnderTest(carrier);
    const { deps, insert, booking } = remote;
    const [answered, taken, doubted] = [await insert(), await insert(), await insert()];
    const hold = (row: BookingRow, settles: boolean) => holdBooking(deps, row, "ref", settles);
    expect(await changes(remote, answered, hold(answered, true), false)).toBe(false);
    for (const wrong of unknownBookings(answered))
      expect(await changes(remote, answered, hold(wrong, true))).toBe(false);
    expect(await changes(remote, answered, hold(answered, true))).toBe(true);
    expect(await booking(answered)).toMatchObject({ state: "held", reference: "ref", doubtUntil: null, dueAt: null });
    await changes(remote, taken, hold({ ...taken, turn: 2 }, true));
    await changes(remote, doubted, hold(doubted, false));
    for (const row of [taken, doubted]) {
      const { state, doubtUntil, dueAt } = await booking(row);
      expect([state, doubtUntil]).toEqual(["held", expect.any(Date)]);
      expect(dueAt).toEqual(doubtUntil);
    }
  });

  test("the booking of a voided label is over", async () => {
    const remote = remoteUnderTest(carrier);
    const { insert, setState, booking } = remote;
    const [row, other] = [await insert(), await insert()];
    for (const state of ["asked", "held", "cancelling"] as const) {
      await setState(state, row);
      expect(await changes(remote, row, endVoided(row))).toBe(false);
    }
    for (const each of [row, other]) await setState("voiding", each);
    expect(await changes(remote, row, endVoided(row), false)).toBe(false);
    for (const wrong of unknownBookings(row)) expect(await changes(remote, row, endVoided(wrong))).toBe(false);
    expect(await changes(remote, other, endVoided(row))).toBe(false);
    expect(await booking(row)).toMatchObject({ state: "over" });
  });
});

test("a shipment's label and its booking are its customer's alone, and the booking ends with the void", async () => {
  const remote = remoteUnderTest(carrier);
  const { deps, caller } = remote;
  const { id, shipment_id: shipmentId } = await remote.newLabel();
  const asked = [[caller, shipmentId] as const, [caller, "shp_other"] as const, [newCaller(), shipmentId] as const];
  const answers = (has: typeof hasLabel) => Promise.all(asked.map(([who, which]) => has(deps, who, which)));
  expect([await answers(hasLabel), await answers(isHeld)]).toEqual([
    [true, false, false],
    [true, false, false],
  ]);
  await remote.void(id);
  expect([await hasLabel(deps, caller, shipmentId), await isHeld(deps, caller, shipmentId)]).toEqual([true, false]);
});
