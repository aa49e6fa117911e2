import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn } from "@shipping/kit/testing/rows";
import { fence, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { CarrierRefusal, CarrierUnavailable } from "../carriers/carrier.js";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { lost, remoteUnderTest, unknown } from "../testing/remote-under-test.js";

const carrier = forAllTests(carrierUnderTest);

/** Asserts that this outcome is a label, and that the carrier has its booking and no other. */
async function expectOnlyBooking(remote: ReturnType<typeof remoteUnderTest>, outcome: Promise<WriteOutcome>) {
  const { json } = toSnapshot(await outcome);
  expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
}

describe("a label of a carrier that is called", () => {
  test("has the carrier's price, number and file", async () => {
    const remote = remoteUnderTest(carrier);
    const label = await remote.newLabel();
    const [standing] = remote.activeBookings();
    expect(label).toMatchObject({
      carrier: "scripted",
      tracking_number: standing?.trackingNumber,
      charge: { currency: "USD", amount: 7.4 },
      test: true,
      format: "pdf",
    });
    const stored = { ...remote.caller, labelId: label.id, pdf: Buffer.from(standing!.file.bytes) };
    expect(await countIn(remote.deps.db, "label_files", stored)).toBe(1);
    expect(await remote.events()).toEqual(["label.created"]);
  });

  test("is one call, and one booking that is settled", async () => {
    const remote = remoteUnderTest(carrier);
    await remote.newLabel();
    expect(remote.called()).toEqual(["book"]);
    expect(await remote.bookings()).toMatchObject([
      { state: "held", reference: remote.activeBookings()[0]?.reference, dueAt: null, doubtUntil: null },
    ]);
  });

  test("is checked again if the carrier takes no keys, because it may have carried out the call twice", async () => {
    const remote = remoteUnderTest(carrier, { takesKeys: false });
    await remote.newLabel();
    const [booking] = await remote.bookings();
    expect(booking).toMatchObject({ state: "held", dueAt: booking?.doubtUntil, doubtUntil: expect.any(Date) });
  });

  test("is stored before the carrier is called: with a key, the shipment's ID and the claim, but no postal address", async () => {
    const remote = remoteUnderTest(carrier);
    const claim = newClaim();
    remote.expect("book", { hangs: true });
    const shipmentId = remote.newShipment();
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    const [booking] = await remote.bookings();
    expect(booking).toMatchObject({
      state: "asked",
      shipmentId,
      token: claim.token,
      idempotencyKey: claim.idempotencyKey,
    });
    expect(remote.calls).toEqual([`book ${booking?.id}`, `find ${booking?.id}`]);
  });
});

describe("a label with a file of more than 1 MiB", () => {
  test("is refused and not stored, and its booking is cancelled, whoever finds it", async () => {
    const remote = remoteUnderTest(carrier, { fileBytes: 1_048_577 });
    await expect(remote.newLabel()).rejects.toMatchObject({ code: "internal_error" });
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost });
    await expect(remote.newLabel()).rejects.toMatchObject(unknown);
    expect(remote.activeBookings()).toHaveLength(2);
    await remote.settle(10);
    await remote.settle(100);
    expect([remote.activeBookings(), await remote.labels(), await remote.events()]).toEqual([[], [], []]);
  });

  test("of 1 MiB is stored", async () => {
    const remote = remoteUnderTest(carrier, { fileBytes: 1_048_576 });
    await remote.newLabel();
    expect(await remote.labels()).toHaveLength(1);
  });
});

describe("when the carrier's answer is lost", () => {
  test.each([true, false])(
    "the carrier is asked by the key at once, whether or not it takes keys: %s",
    async (takesKeys) => {
      const remote = remoteUnderTest(carrier, { takesKeys });
      remote.expect("book", { after: lost });
      const label = await remote.newLabel();
      expect(remote.called()).toEqual(["book", "find"]);
      expect(remote.activeBookings()).toMatchObject([{ trackingNumber: label.tracking_number }]);
    },
  );

  test("and the carrier cannot be asked, the same key ends in the one label, byte for byte on every repetition", async () => {
    const remote = remoteUnderTest(carrier, { takesKeys: false });
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost }, { before: lost });
    const { repeat } = await remote.inDoubt();
    await expect(repeat()).rejects.toMatchObject(unknown);
    const first = toSnapshot(await repeat());
    expect(toSnapshot(await repeat())).toEqual({ ...first, replayed: true });
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: first.json.tracking_number }]);
    expect(remote.called()).toEqual(["book", "find", "find", "find"]);
  });

  test("a carrier that takes keys is called again under the same key", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { before: lost });
    const { repeat } = await remote.inDoubt();
    await repeat();
    expect(new Set(remote.calls.map((call) => call.split(" ")[1])).size).toBe(1);
    expect(remote.called()).toEqual(["book", "find", "find", "book"]);
    // The carrier may carry out the first call late, so the key is checked again.
    expect(await remote.bookings()).toMatchObject([{ state: "held", dueAt: expect.any(Date) }]);
  });

  test("a carrier that takes no keys is not, until the first call can no longer take effect", async () => {
    const remote = remoteUnderTest(carrier, { takesKeys: false });
    remote.expect("book", { hangs: true });
    const { repeat } = await remote.inDoubt();
    await expect(repeat()).rejects.toMatchObject(unknown);
    expect(remote.called()).toEqual(["book", "find", "find"]);
    remote.goOn();
    await expectOnlyBooking(remote, repeat());
  });
});

describe("when the carrier refuses", () => {
  test("422 with its message; the booking is settled, and another request may book", async () => {
    const remote = remoteUnderTest(carrier);
    const shipmentId = remote.newShipment();
    remote.expect("book", { before: new CarrierRefusal("no such street.") });
    await expect(remote.label(shipmentId)).rejects.toMatchObject({
      code: "invalid_request",
      fields: [{ path: "shipment_id", message: "was refused by the carrier: no such street." }],
    });
    expect([await remote.bookings(), remote.called()]).toMatchObject([[{ state: "over", dueAt: null }], ["book"]]);
    expect(toSnapshot(await remote.label(shipmentId)).status).toBe(201);
  });

  test("503 for certain if it was never reached", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { before: new CarrierUnavailable("busy") });
    await expect(remote.label(remote.newShipment())).rejects.toMatchObject({ code: "service_unavailable" });
    expect([await remote.bookings(), remote.called()]).toMatchObject([[{ state: "over", dueAt: null }], ["book"]]);
  });

  test("if it is not reached after a lost answer, the booking stays in doubt, because of the first call", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { hangs: true }, { before: new CarrierUnavailable("busy") });
    const { repeat } = await remote.inDoubt();
    await expect(repeat()).rejects.toMatchObject(unknown);
    remote.goOn();
    await expectOnlyBooking(remote, repeat());
  });

  test("a refusal after a lost answer ends the request, and the booking of the lost call is cancelled", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { hangs: true }, { before: new CarrierRefusal("no such street.") });
    const { repeat } = await remote.inDoubt();
    await expect(repeat()).rejects.toMatchObject({ code: "invalid_request" });
    remote.goOn();
    expect(remote.activeBookings()).toHaveLength(1);
    await remote.settle(1);
    expect(remote.activeBookings()).toEqual([]);
  });

  test("after an error of the search, the booking stays in doubt", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { after: lost });
    remote.expect("find", { before: new CarrierUnavailable("busy") }, { before: new CarrierRefusal("no") });
    const { repeat } = await remote.inDoubt();
    await expect(repeat()).rejects.toMatchObject(unknown);
    expect(toSnapshot(await repeat()).status).toBe(201);
    expect(remote.activeBookings()).toHaveLength(1);
  });
});

test("a shipment whose label is voided is not booked, although records still says draft", async () => {
  const remote = remoteUnderTest(carrier);
  const { id, shipment_id: shipmentId } = await remote.newLabel();
  await remote.void(id);
  await expect(remote.label(shipmentId)).rejects.toMatchObject({ code: "shipment_voided" });
  expect(remote.called()).toEqual(["book", "cancel"]);
});

describe("a claim that is over", () => {
  test("does not continue the booking that an equal request has left", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { before: lost });
    const { repeat, claim } = await remote.inDoubt();
    await fence(remote.deps.db, remote.caller, claim);
    const calls = remote.calls.length;
    expect((await repeat()).outcome.case).toBe("stale");
    expect(remote.calls).toHaveLength(calls);
  });

  test("before the call: it is not made", async () => {
    const remote = remoteUnderTest(carrier);
    const claim = newClaim();
    await fence(remote.deps.db, remote.caller, claim);
    expect((await remote.label(remote.newShipment(), claim)).outcome.case).toBe("stale");
    expect(remote.calls).toEqual([]);
  });

  test("during the call: stale, and the later claim of the same request takes the booking over", async () => {
    const remote = remoteUnderTest(carrier);
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.override({
      async book(...given) {
        await fence(remote.deps.db, remote.caller, claim);
        return remote.carrier.book(...given);
      },
    });
    expect((await remote.label(shipmentId, claim)).outcome.case).toBe("stale");
    await expectOnlyBooking(remote, remote.label(shipmentId, newClaim(claim.idempotencyKey)));
    expect(remote.called()).toEqual(["book", "find"]);
  });
});
