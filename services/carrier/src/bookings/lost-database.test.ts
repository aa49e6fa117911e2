import { createLedger } from "@shipping/kit/ledger/ledger";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import { newClaim, snapshotOf } from "@shipping/kit/testing/writes";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { remoteUnderTest } from "../testing/remote-under-test.js";

let carrier: Awaited<ReturnType<typeof carrierUnderTest>>;
beforeAll(async () => {
  carrier = await carrierUnderTest();
});
afterAll(() => carrier.end());

const lost = new Error("The connection was lost.");
const unknown = { code: 2, rawMessage: "The outcome of a booking is unknown." };

/** A carrier that is called, and a database that is away from the end of its next call of that method until it is back. */
function losingDatabaseAfter(method: "book" | "find" | "cancel") {
  const remote = remoteUnderTest(carrier);
  const { deps, carrier: called } = remote;
  const { db } = deps;
  let isAway = false;
  const away = async () => {
    throw new DatabaseOutage(new Error("The pool has no connection."), false);
  };
  deps.db = { ...db, run: (statement) => (isAway ? away() : db.run(statement)) };
  deps.ledger = createLedger(deps.db);
  const act = called[method] as (...call: unknown[]) => Promise<unknown>;
  const losing = { ...called, [method]: (...call: unknown[]) => act(...call).finally(() => (isAway = true)) };
  deps.carriers = { ...deps.carriers, trial: { accountId: remote.caller.accountId, carrier: losing } };
  const back = () => {
    isAway = false;
    deps.carriers = { ...deps.carriers, trial: { accountId: remote.caller.accountId, carrier: called } };
  };
  return { ...remote, back };
}

describe("when the database is lost after a call of the carrier, it is not certain that nothing happened", () => {
  test("after a booking: its label is made under the same key", async () => {
    const remote = losingDatabaseAfter("book");
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    remote.back();
    const { json } = snapshotOf(await remote.label(shipmentId, claim));
    expect(remote.standing()).toMatchObject([{ trackingNumber: json.tracking_number }]);
  });

  test("after an answer that was lost: the booking is found under the same key", async () => {
    const remote = losingDatabaseAfter("find");
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    remote.expect("book", { after: lost });
    remote.expect("find", { before: lost });
    await expect(remote.label(shipmentId, claim)).rejects.toMatchObject(unknown);
    remote.back();
    const { json } = snapshotOf(await remote.label(shipmentId, claim));
    expect(remote.standing()).toMatchObject([{ trackingNumber: json.tracking_number }]);
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
      expect(remote.standing()).toEqual([]);
      expect(snapshotOf(await remote.void(id, claim)).json).toMatchObject({ status: "voided" });
      expect((await remote.events()).sort()).toEqual(["label.created", "label.voided"]);
    },
  );
});
