import { ConnectError } from "@connectrpc/connect";
import { eventually } from "@shipping/kit/testing/eventually";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { fence, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { CarrierRefusal } from "../carriers/carrier.js";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { lost, remoteUnderTest } from "../testing/remote-under-test.js";
import { dropBooking, takeDue } from "./booking-rows.js";

const carrier = forAllTests(carrierUnderTest);
// The worker settles every due booking of the database.
beforeEach(() => carrier.deps.db.run(sql`DELETE FROM bookings`));

describe("settleOnce", () => {
  test("makes the label of a lost answer, and a repetition is answered with it", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost });
    const { repeat } = await remote.inDoubt();
    expect(await remote.settle(2)).toEqual({ settled: 1, left: 0 });
    const [booking] = await remote.bookings();
    expect(booking).toMatchObject({ state: "held", dueAt: booking?.doubtUntil, doubtUntil: expect.any(Date) });
    expect(await remote.events()).toEqual(["label.created"]);
    const again = toSnapshot(await repeat());
    expect(again.replayed).toBe(true);
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: again.json.tracking_number }]);
  });

  test("finds due bookings by an index alone, even if PostgreSQL last saw the table empty", async () => {
    const remote = remoteUnderTest(carrier);
    for (let n = 0; n < 20; n++) await remote.newLabel();
    await carrier.deps.db.pool.query("DELETE FROM bookings");
    await carrier.deps.db.pool.query("VACUUM ANALYZE bookings");
    const { db, statements } = watched(carrier.deps.db);
    await takeDue({ db, clockOffsetMs: 0 }, 10, 1_000);
    // The index holds the unsettled bookings, in the order in which they are due.
    expect(await costlyNodes(carrier.deps.db, statements[0]!)).toEqual(["Index Scan of all of bookings_due"]);
  });

  test("never books: without a booking it waits until no call can take effect, and ends", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { before: lost });
    await remote.inDoubt();
    await remote.settle(2);
    expect(await remote.bookings()).toMatchObject([{ state: "asked" }]);
    await remote.settle(120);
    expect(await remote.bookings()).toMatchObject([{ state: "over", dueAt: null }]);
    expect(remote.activeBookings()).toEqual([]);
  });

  test("cancels a booking made under a claim that is over, even if it appears late", async () => {
    const remote = remoteUnderTest(carrier, { takesKeys: false });
    const claim = newClaim();
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost });
    await remote.inDoubt(claim);
    await fence(remote.deps.db, remote.caller, claim);
    await remote.settle(2);
    expect(await remote.bookings()).toMatchObject([{ state: "cancelling" }]);
    await remote.settle(3);
    expect([remote.activeBookings(), await remote.labels()]).toEqual([[], []]);
    const [booking] = await remote.bookings();
    expect(booking).toMatchObject({ state: "cancelling", dueAt: expect.any(Date) });
    const wanted = { shipment: carrier.newShipment(remote.caller), rateId: "", at: new Date() };
    await remote.carrier.book(booking!.id, wanted, { signal: AbortSignal.timeout(1_000) });
    expect(remote.activeBookings()).toHaveLength(1);
    await remote.settle(120);
    expect(await remote.bookings()).toMatchObject([{ state: "over", dueAt: null }]);
    expect(remote.activeBookings()).toEqual([]);
  });

  test("repeats the cancellation until the carrier confirms it", async () => {
    const remote = remoteUnderTest(carrier);
    const claim = newClaim();
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost });
    await remote.inDoubt(claim);
    await fence(remote.deps.db, remote.caller, claim);
    remote.expect("cancel", { before: lost }, { after: lost }, { hangs: true });
    expect(await remote.settle(2)).toEqual({ settled: 1, left: 0 });
    expect(await remote.settle(10)).toEqual({ settled: 0, left: 1 });
    expect(await remote.bookings()).toMatchObject([{ state: "cancelling", problem: expect.stringContaining("lost") }]);
    expect(remote.activeBookings()).toHaveLength(1);
    for (const seconds of [30, 60]) await remote.settle(seconds);
    expect(remote.activeBookings()).toEqual([]);
    await remote.settle(240);
    expect(await remote.bookings()).toMatchObject([{ state: "over", problem: null }]);
  });

  test("of two bookings under one key, cancels the one that the label does not have, when the first call can no longer take effect", async () => {
    const remote = remoteUnderTest(carrier, { takesKeys: false, mayExecuteForMs: 0 });
    remote.expect("book", { hangs: true });
    const { repeat } = await remote.inDoubt();
    const { json } = toSnapshot(await eventually(repeat));
    remote.goOn();
    expect(remote.activeBookings()).toHaveLength(2);
    await remote.settle(60);
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
    expect(await remote.bookings()).toMatchObject([{ state: "held", dueAt: null, doubtUntil: null }]);
  });

  test("a booking that is being cancelled gets no label, although its call succeeds after all", async () => {
    const remote = remoteUnderTest(carrier, { callMs: 5_000 });
    remote.expect("book", { hangs: true });
    const slow = remote.label(remote.newShipment()).catch((error) => error);
    await eventually(() => expect(remote.calls).toHaveLength(1));
    const [booking] = await remote.bookings();
    await dropBooking(remote.deps, booking!);
    remote.goOn();
    expect(await slow).toBeInstanceOf(ConnectError);
    expect(await remote.labels()).toEqual([]);
    await remote.settle(120);
    expect(remote.activeBookings()).toEqual([]);
  });

  test("takes over from a process that died in its call, and makes the label when the carrier has carried it out", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { hangs: true });
    const dying = remote.label(remote.newShipment()).catch(() => undefined);
    await eventually(() => expect(remote.calls).toHaveLength(1));
    await remote.settle(30);
    expect(remote.calls).toHaveLength(2);
    await dying;
    expect(await remote.labels()).toEqual([]);
    remote.goOn();
    await remote.settle(90);
    expect(await remote.labels()).toMatchObject([{ trackingNumber: remote.activeBookings()[0]?.trackingNumber }]);
    expect(remote.activeBookings()).toHaveLength(1);
  });
});

describe("a void at a carrier that is called", () => {
  test("is cancelled there first, then recorded with its event", async () => {
    const remote = remoteUnderTest(carrier);
    const { id } = await remote.newLabel();
    const { status, json } = toSnapshot(await remote.void(id));
    expect([status, json.status, remote.activeBookings()]).toEqual([200, "voided", []]);
    expect((await remote.events()).sort()).toEqual(["label.created", "label.voided"]);
    expect(await remote.bookings()).toMatchObject([{ state: "over", dueAt: null }]);
  });

  test("takes the label's own booking, and no other of its account", async () => {
    const remote = remoteUnderTest(carrier);
    const [, { id, shipment_id }] = [await remote.newLabel(), await remote.newLabel(), await remote.newLabel()];
    remote.expect("cancel", { before: lost });
    await expect(remote.void(id)).rejects.toMatchObject({ code: 2 });
    const states = (await remote.bookings()).map(({ shipmentId, state }) => [state, shipmentId === shipment_id]);
    expect(states.sort()).toEqual([
      ["held", false],
      ["held", false],
      ["voiding", true],
    ]);
    expect(remote.activeBookings()).toHaveLength(3);
  });

  test("whose answer is lost is not recorded, and a repetition asks again and finishes it", async () => {
    const remote = remoteUnderTest(carrier);
    const [{ id }, claim] = [await remote.newLabel(), newClaim()];
    remote.expect("cancel", { after: lost });
    await expect(remote.void(id, claim)).rejects.toMatchObject({ code: 2 });
    expect(await remote.labels()).toMatchObject([{ status: "created" }]);
    expect(toSnapshot(await remote.void(id, claim)).json.status).toBe("voided");
    expect(toSnapshot(await remote.void(id, claim))).toMatchObject({ replayed: true });
  });

  test("is finished by the worker if it is not repeated, with one event; a late repetition gets the voided label", async () => {
    const remote = remoteUnderTest(carrier);
    const [{ id }, claim] = [await remote.newLabel(), newClaim()];
    remote.expect("cancel", { before: lost });
    await expect(remote.void(id, claim)).rejects.toMatchObject({ code: 2 });
    remote.expect("cancel", { before: lost });
    expect(await remote.settle(1)).toEqual({ settled: 0, left: 1 });
    expect([await remote.labels(), await remote.bookings()]).toMatchObject([
      [{ status: "created" }],
      [{ state: "voiding" }],
    ]);
    await remote.settle(10);
    expect([await remote.labels(), remote.activeBookings()]).toMatchObject([[{ status: "voided" }], []]);
    expect(toSnapshot(await remote.void(id, claim)).json.status).toBe("voided");
    expect((await remote.events()).sort()).toEqual(["label.created", "label.voided"]);
  });

  test("that the carrier refuses when the worker asks leaves the label, and its booking", async () => {
    const remote = remoteUnderTest(carrier);
    const { id } = await remote.newLabel();
    remote.expect("cancel", { before: lost }, { before: new CarrierRefusal("it is on its way.") });
    await expect(remote.void(id)).rejects.toMatchObject({ code: 2 });
    expect(await remote.settle(1)).toEqual({ settled: 1, left: 0 });
    expect(await remote.bookings()).toMatchObject([{ state: "held", dueAt: null }]);
    expect([await remote.labels(), remote.activeBookings().length]).toMatchObject([[{ status: "created" }], 1]);
  });

  test("422 if the carrier no longer cancels; the label stays as it is", async () => {
    const remote = remoteUnderTest(carrier);
    const { id } = await remote.newLabel();
    remote.expect("cancel", { before: new CarrierRefusal("it is on its way.") });
    await expect(remote.void(id)).rejects.toMatchObject({
      code: "invalid_request",
      fields: [{ path: "id", message: "cannot be voided any more: it is on its way." }],
    });
    expect(await remote.bookings()).toMatchObject([{ state: "held", dueAt: null }]);
    expect(await remote.labels()).toMatchObject([{ status: "created" }]);
  });
});
