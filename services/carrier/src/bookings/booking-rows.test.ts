import { openTransaction } from "@shipping/kit/testing/database";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { newCaller, newClaim } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { remoteUnderTest, unknownBookings } from "../testing/remote-under-test.js";
import type { BookingRow, BookingState } from "./booking.js";
import {
  adoptBooking,
  dropBooking,
  endBooking,
  keepHeld,
  markCall,
  markClean,
  releaseBooking,
  takeDue,
  takeForVoid,
} from "./booking-rows.js";

const carrier = forAllTests(carrierUnderTest);
beforeEach(() => carrier.deps.db.run(sql`DELETE FROM bookings`));

test("insertBooking stores the request and its author, the end of the lease, and the time until which a call may take effect", async () => {
  const { intent, insert, booking, carrier: called } = remoteUnderTest(carrier);
  const given = intent();
  const row = await insert({ ...given, claim: { ...given.claim, requestedBy: "key_1", requestId: "req_1" } });
  expect(row).toMatchObject({ id: expect.stringMatching(/^bkg_[a-z2-7]{26}$/), turn: 1, inDoubt: true });
  const { createdAt, leasedUntil, doubtUntil, dueAt, ...stored } = await booking(row);
  expect(stored).toMatchObject({ shipmentId: given.shipmentId, requestedBy: "key_1", requestId: "req_1" });
  expect(called).toMatchObject({ callMs: 400, mayExecuteForMs: 60_000 });
  const afterMs = (end: Date | null) => end!.getTime() - createdAt.getTime();
  // The limit is 2 s to send the call, its 400 ms, and a minute, less the time that may pass within a statement.
  for (const end of [leasedUntil, dueAt]) expect(afterMs(end)).toBeGreaterThan(2_000);
  expect(afterMs(doubtUntil)).toBeGreaterThan(62_000);
});

describe("adoptBooking", () => {
  test("continues the booking of an equal request, under the later claim, once its lease has ended", async () => {
    const { later, intent, insert } = remoteUnderTest(carrier);
    const given = intent();
    const row = await insert(given);
    expect(row).toMatchObject({ requestedBy: "", requestId: "" });
    expect(await adoptBooking(later(-60), given)).toBeUndefined();
    for (const other of [
      { caller: newCaller() },
      { shipmentId: "shp_other" },
      { claim: { ...given.claim, idempotencyKey: "other" } },
      { claim: newClaim(given.claim.idempotencyKey, "another") },
    ])
      expect(await adoptBooking(later(10), { ...given, ...other })).toBeUndefined();
    const again = { ...given, claim: { ...newClaim(given.claim.idempotencyKey), requestId: "req_2" } };
    const adopted = { id: row.id, token: again.claim.token, requestId: "req_2", turn: 2 };
    expect(await adoptBooking(later(10), again)).toMatchObject(adopted);
    expect(await adoptBooking(later(20), given)).toMatchObject({ ...adopted, requestId: "", turn: 3 });
  });

  test.each<BookingState>(["held", "voiding", "cancelling", "over"])("continues none that is %s", async (state) => {
    const { later, intent, insert, setState } = remoteUnderTest(carrier);
    const given = intent();
    await setState(state, await insert(given));
    expect(await adoptBooking(later(10), given)).toBeUndefined();
  });
});

test("takeForVoid takes the booking of a label, and stores the author of the void", async () => {
  const { later, intent, insert, setState } = remoteUnderTest(carrier);
  const given = intent();
  const row = await insert(given);
  const claim = { ...newClaim(), requestedBy: "key_2", requestId: "req_3" };
  for (const state of ["asked", "cancelling", "over"] as const) {
    await setState(state, row);
    expect(await takeForVoid(later(10), { ...given, claim })).toBeUndefined();
  }
  await setState("held", row);
  expect(await takeForVoid(later(10), { ...given, claim })).toMatchObject({
    ...{ id: row.id, state: "voiding", turn: 2, requestedBy: "key_2", requestId: "req_3" },
  });
  expect(await takeForVoid(later(-60), given)).toBeUndefined();
  expect(await takeForVoid(later(20), given)).toMatchObject({
    ...{ state: "voiding", turn: 3, requestedBy: "", requestId: "" },
  });
});

describe("takeDue", () => {
  test("takes at most the given number, those that have been due longest, and no other process takes them during the lease", async () => {
    const { deps, later, insert } = remoteUnderTest(carrier);
    const [second, first, notYet] = [await insert(), await insert(), await insert()];
    await releaseBooking(deps, second, 2_000);
    await releaseBooking(deps, first, 1_000);
    await releaseBooking(deps, notYet, 120_000);
    const taken = async (most: number) => (await takeDue(later(10), most, 60_000)).map(({ id, turn }) => [id, turn]);
    expect(await taken(1)).toEqual([[first.id, 2]]);
    expect(await taken(10)).toEqual([[second.id, 2]]);
    expect(await taken(10)).toEqual([]);
  });

  test("skips bookings that another process is taking", async () => {
    const { deps, later, insert } = remoteUnderTest(carrier);
    const [row, other] = [await insert(), await insert()];
    const client = await openTransaction(deps.db);
    try {
      await client.query("SELECT FROM bookings WHERE id = $1 FOR UPDATE", [row.id]);
      expect((await takeDue(later(10), 10, 1_000)).map(({ id }) => id)).toEqual([other.id]);
    } finally {
      client.release(true);
    }
  });
});

type Remote = ReturnType<typeof remoteUnderTest>;

describe("of a booking that another process may have taken", () => {
  test.each<[string, BookingState, (remote: Remote, row: BookingRow) => Promise<unknown>]>([
    ["that it is called", "asked", ({ deps, carrier: called }, row) => markCall(deps, row, called)],
    ["that it is free", "asked", ({ deps }, row) => releaseBooking(deps, row, 1_000)],
    ["that it is over", "asked", ({ deps }, row) => endBooking(deps, row)],
    ["that it is clean", "cancelling", ({ deps }, row) => markClean(deps, row)],
    ["that its label keeps it", "voiding", ({ deps }, row) => keepHeld(deps, row)],
  ])("%s is stored for the holder of its turn, and for no other booking", async (_what, state, note) => {
    const remote = remoteUnderTest(carrier);
    const [row, other] = [await remote.insert(), await remote.insert()];
    for (const each of [row, other]) await remote.setState(state, each);
    const [before, untouched] = [await remote.booking(row), await remote.booking(other)];
    for (const wrong of [...unknownBookings(row), { ...row, turn: 2 }]) await note(remote, wrong);
    expect(await remote.booking(row)).toEqual(before);
    await note(remote, row);
    expect(await remote.booking(row)).not.toEqual(before);
    expect(await remote.booking(other)).toEqual(untouched);
  });

  test("a call extends the doubt, and is not made for a booking that is to be cancelled", async () => {
    const { deps, later, insert, booking, carrier: called } = remoteUnderTest(carrier);
    const row = await insert();
    const doubtMs = async () => (await booking(row)).doubtUntil!.getTime();
    const first = await doubtMs();
    expect(await markCall(later(60), row, called)).toBe(true);
    const second = await doubtMs();
    expect(second - first).toBeGreaterThan(50_000);
    expect(await markCall(deps, row, called)).toBe(true);
    expect(await doubtMs()).toBe(second);
    await dropBooking(deps, row);
    expect(await markCall(deps, row, called)).toBe(false);
  });

  test("the worker's last error is shown until the booking is settled", async () => {
    const { deps, insert, booking } = remoteUnderTest(carrier);
    const row = await insert();
    await releaseBooking(deps, row, 0, "no answer");
    await releaseBooking(deps, row, 0);
    expect(await booking(row)).toMatchObject({ problem: "no answer" });
    await endBooking(deps, row);
    expect(await booking(row)).toMatchObject({ problem: null });
  });
});

test("dropBooking has the worker cancel a booking, regardless of its lease, unless a label or a later claim has it", async () => {
  const { deps, later, insert, booking, setState } = remoteUnderTest(carrier);
  const [row, other] = [await insert(), await insert()];
  const [before, untouched] = [await booking(row), await booking(other)];
  for (const wrong of [...unknownBookings(row), { ...row, token: row.token - 1n }]) await dropBooking(deps, wrong);
  expect(await booking(row)).toEqual(before);
  await dropBooking(later(-60), { ...row, turn: 2 });
  const dropped = await booking(row);
  expect(dropped.state).toBe("cancelling");
  expect(dropped.dueAt!.getTime()).toBeLessThan(before.dueAt!.getTime());
  expect(await booking(other)).toEqual(untouched);
  await setState("held", row);
  await dropBooking(deps, row);
  expect(await booking(row)).toMatchObject({ state: "held" });
});
