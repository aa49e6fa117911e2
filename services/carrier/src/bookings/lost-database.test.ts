import type { Claim } from "@shipping/kit/caller";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { fence, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { lost, remoteUnderTest, unknown } from "../testing/remote-under-test.js";
import { SEND_WITHIN_MS } from "./booking-rows.js";

const carrier = forAllTests(carrierUnderTest);

interface Losing {
  statements?: number;
  fenced?: Claim;
}

/**
 * Sets up a carrier that is called, and a database that becomes unreachable once the next call of that method has ended and this many more
 * statements have run. During that call the claim is fenced off, if one is given.
 */
function losingDatabaseAfter(method: "book" | "find" | "cancel", { statements = 0, fenced }: Losing = {}) {
  const remote = remoteUnderTest(carrier);
  const { deps, carrier: called } = remote;
  const { db } = deps;
  let left = Number.POSITIVE_INFINITY;
  const away = async () => {
    throw new DatabaseOutage(new Error("The pool has no connection."), false);
  };
  deps.db = { ...db, run: (statement) => (left-- > 0 ? db.run(statement) : away()) };
  deps.ledger = createLedger(deps.db);
  const act = called[method] as (...call: unknown[]) => Promise<unknown>;
  async function losing(...call: unknown[]) {
    if (fenced) await fence(db, remote.caller, fenced);
    return act(...call).finally(() => (left = statements));
  }
  remote.override({ [method]: losing });
  const back = () => {
    left = Number.POSITIVE_INFINITY;
    remote.override({});
  };
  return { ...remote, back };
}

describe("when the database is lost after a call of the carrier, the outcome is unknown", () => {
  test("after a booking: its label is made under the same key", async () => {
    const remote = losingDatabaseAfter("book");
    const { repeat } = await remote.inDoubt();
    remote.back();
    const { json } = toSnapshot(await repeat());
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
  });

  test("after an answer that was lost: the booking is found under the same key", async () => {
    const remote = losingDatabaseAfter("find");
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost });
    const { repeat } = await remote.inDoubt();
    remote.back();
    const { json } = toSnapshot(await repeat());
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
  });

  test.each(["is carried out", "may be carried out"])(
    "after a cancellation that %s: the label is voided",
    async (how) => {
      const remote = losingDatabaseAfter("cancel");
      const { id } = await remote.newLabel();
      const claim = newClaim();
      if (how === "may be carried out") remote.expect("cancel", { after: lost });
      await expect(remote.void(id, claim)).rejects.toMatchObject(unknown);
      remote.back();
      await remote.settle(10);
      expect(remote.activeBookings()).toEqual([]);
      expect(toSnapshot(await remote.void(id, claim)).json).toMatchObject({ status: "voided" });
      expect((await remote.events()).sort()).toEqual(["label.created", "label.voided"]);
    },
  );

  test("after a claim that has been fenced off: the later claim of the same request takes the booking over", async () => {
    const fenced = newClaim();
    const remote = losingDatabaseAfter("book", { statements: 1, fenced });
    const shipmentId = remote.newShipment();
    await expect(remote.label(shipmentId, fenced)).rejects.toMatchObject(unknown);
    remote.back();
    const { json } = toSnapshot(await remote.label(shipmentId, newClaim(fenced.idempotencyKey)));
    expect(remote.activeBookings()).toMatchObject([{ trackingNumber: json.tracking_number }]);
  });

  test("after a void that has been fenced off: a label whose booking is cancelled is voided", async () => {
    const fenced = newClaim();
    const remote = losingDatabaseAfter("cancel", { statements: 2, fenced });
    const { id } = await remote.newLabel();
    await expect(remote.void(id, fenced)).rejects.toMatchObject(unknown);
    remote.back();
    await remote.settle(60);
    expect(await remote.labels()).toMatchObject([{ id, status: "voided" }]);
  });
});

test("a carrier is not called after a write so slow that the end of its doubt would be wrong", async () => {
  const remote = remoteUnderTest(carrier);
  const { db } = remote.deps;
  const now = performance.now.bind(performance);
  let lateMs = 0;
  const clock = jest.spyOn(performance, "now").mockImplementation(() => now() + lateMs);
  const slow: typeof db.run = async (statement) => {
    const rows = await db.run(statement);
    lateMs += SEND_WITHIN_MS + 1;
    return rows as never;
  };
  remote.deps.db = { ...db, run: slow };
  await expect(remote.label(remote.newShipment())).rejects.toMatchObject(unknown);
  clock.mockRestore();
  expect(remote.calls).toEqual([]);
});
