import { countIn } from "@shipping/kit/testing/rows";
import { fence, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { CarrierRefusal, CarrierUnavailable } from "../carriers/carrier.js";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { remoteUnderTest } from "../testing/remote-under-test.js";

let carrier: Awaited<ReturnType<typeof carrierUnderTest>>;
beforeAll(async () => {
  carrier = await carrierUnderTest();
});
afterAll(() => carrier.end());

const lost = new Error("The connection was lost.");
const unknown = { code: 2, rawMessage: "The outcome of a booking is unknown." };
const callsOf = (calls: string[]) => calls.map((call) => call.split(" ")[0]);

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
    expect(callsOf(remote.calls)).toEqual(["book"]);
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
      expect(callsOf(remote.calls)).toEqual(["book", "find"]);
      expect(remote.activeBookings()).toMatchObject([{ trackingNumber: label.tracking_number }]);
    },
  );

  test("and the carrier cannot be asked, the same key ends in the one label, byte for byte on every repetition", async () => {
    const remote = remoteUnderTest(carrier, { takesKeys: false });
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost }, { before: lost });
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    const first = toSnapshot(await remote.label(shipmentId, claim));
    expect(toSnapshot(await remote.label(shipmentId, claim))).toEqual({ ...first, replayed: true });
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: first.json.tracking_number }]);
    expect(callsOf(remote.calls)).toEqual(["book", "find", "find", "find"]);
  });

  test("a carrier that takes keys is called again under the same key", async () => {
    const remote = remoteUnderTest(carrier);
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { before: lost });
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    await remote.label(shipmentId, claim);
    expect(new Set(remote.calls.map((call) => call.split(" ")[1])).size).toBe(1);
    expect(callsOf(remote.calls)).toEqual(["book", "find", "find", "book"]);
    // The carrier may carry out the first call late, so the key is checked again.
    expect(await remote.bookings()).toMatchObject([{ state: "held", dueAt: expect.any(Date) }]);
  });

  test("a carrier that takes no keys is not, until the first call can no longer take effect", async () => {
    const remote = remoteUnderTest(carrier, { takesKeys: false });
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { hangs: true });
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    expect(callsOf(remote.calls)).toEqual(["book", "find", "find"]);
    remote.goOn();
    const { json } = toSnapshot(await remote.label(shipmentId, claim));
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
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
    expect([await remote.bookings(), callsOf(remote.calls)]).toMatchObject([
      [{ state: "over", dueAt: null }],
      ["book"],
    ]);
    expect(toSnapshot(await remote.label(shipmentId)).status).toBe(201);
  });

  test("503 for certain if it was never reached", async () => {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { before: new CarrierUnavailable("busy") });
    await expect(remote.label(remote.newShipment())).rejects.toMatchObject({ code: "service_unavailable" });
    expect([await remote.bookings(), callsOf(remote.calls)]).toMatchObject([
      [{ state: "over", dueAt: null }],
      ["book"],
    ]);
  });

  test("if it is not reached after a lost answer, the booking stays in doubt, because of the first call", async () => {
    const remote = remoteUnderTest(carrier);
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { hangs: true }, { before: new CarrierUnavailable("busy") });
    for (let n = 0; n < 2; n++) await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    remote.goOn();
    const { json } = toSnapshot(await remote.label(shipmentId, claim));
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
  });

  test("a refusal after a lost answer ends the request, and the booking of the lost call is cancelled", async () => {
    const remote = remoteUnderTest(carrier);
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { hangs: true }, { before: new CarrierRefusal("no such street.") });
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject({ code: "invalid_request" });
    remote.goOn();
    expect(remote.activeBookings()).toHaveLength(1);
    await remote.settle(1);
    expect(remote.activeBookings()).toEqual([]);
  });

  test("after an error of the search, the booking stays in doubt", async () => {
    const remote = remoteUnderTest(carrier);
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { after: lost });
    remote.expect("find", { before: new CarrierUnavailable("busy") }, { before: new CarrierRefusal("no") });
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    expect(toSnapshot(await remote.label(shipmentId, claim)).status).toBe(201);
    expect(remote.activeBookings()).toHaveLength(1);
  });
});

test("a shipment whose label is voided is not booked, although records still says draft", async () => {
  const remote = remoteUnderTest(carrier);
  const { id, shipment_id: shipmentId } = await remote.newLabel();
  await remote.void(id);
  await expect(remote.label(shipmentId)).rejects.toMatchObject({ code: "shipment_voided" });
  expect(callsOf(remote.calls)).toEqual(["book", "cancel"]);
});

describe("a claim that is over", () => {
  test("does not continue the booking that an equal request has left", async () => {
    const remote = remoteUnderTest(carrier);
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { before: lost });
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    await fence(remote.deps.db, remote.caller, claim);
    const calls = remote.calls.length;
    expect((await remote.label(shipmentId, claim)).outcome.case).toBe("stale");
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
    const { carrier: called, deps } = remote;
    const fencing = {
      ...called,
      book: async (...given: Parameters<typeof called.book>) => {
        await fence(deps.db, remote.caller, claim);
        return called.book(...given);
      },
    };
    deps.carriers = { ...deps.carriers, trial: { accountId: remote.caller.accountId, carrier: fencing } };
    expect((await remote.label(shipmentId, claim)).outcome.case).toBe("stale");
    const { json } = toSnapshot(await remote.label(shipmentId, newClaim(claim.idempotencyKey)));
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
    expect(callsOf(remote.calls)).toEqual(["book", "find"]);
  });
});
