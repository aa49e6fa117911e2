import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { fence, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { createLabel } from "../create-label.js";
import { carrierUnderTest, labelRequest, patient, voidRequest } from "../testing/carrier-under-test.js";
import { lost, remoteUnderTest, unknown } from "../testing/remote-under-test.js";
import { voidLabel } from "../void-label.js";
import { dropBooking, takeDue, takeForVoid } from "./booking-rows.js";

const carrier = forAllTests(carrierUnderTest);

type Remote = ReturnType<typeof remoteUnderTest>;

/** Runs `act` at the next call of the carrier, before it answers. */
function during({ carrier: called, override }: Remote, method: "book" | "find", act: () => Promise<unknown>) {
  const ask = called[method] as (...call: unknown[]) => Promise<unknown>;
  let isOver = false;
  override({
    [method]: async (...call: unknown[]) => {
      if (!isOver) await act();
      isOver = true;
      return ask(...call);
    },
  });
}

/** Delays each statement by this time, measured by this process's clock. */
function slowStatements({ deps }: Remote, ms: number): void {
  const { db } = deps;
  const now = performance.now.bind(performance);
  let lateMs = 0;
  jest.spyOn(performance, "now").mockImplementation(() => now() + lateMs);
  deps.db = {
    ...db,
    run: async (statement) => {
      const rows = await db.run(statement);
      lateMs += ms;
      return rows as never;
    },
  };
}
afterEach(() => jest.restoreAllMocks());

describe("of concurrent requests", () => {
  test("those with the same key get one label, with one call", async () => {
    const remote = remoteUnderTest(carrier);
    const [shipmentId, claim] = [remote.newShipment(), newClaim()];
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => remote.label(shipmentId, claim)));
    expect(new Set(outcomes.map((outcome) => Buffer.from(toSnapshot(outcome).body).toString())).size).toBe(1);
    expect(remote.called()).toEqual(["book"]);
  });

  test("those with other keys wait, and get label_exists", async () => {
    const remote = remoteUnderTest(carrier);
    const shipmentId = remote.newShipment();
    const ends = await Promise.allSettled(Array.from({ length: 4 }, () => remote.label(shipmentId)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of ends) if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "label_exists" });
    expect(remote.called()).toEqual(["book"]);
  });
});

describe("a request that waits for a booking that another process has", () => {
  // A request keeps two seconds to store its outcome.
  const hurried = () => {
    const overMs = performance.now() + 2_300;
    return { ...patient, timeLeftMs: () => overMs - performance.now() };
  };

  /** Prepares a request for a label or for a void that meets a booking whose lease has not ended. */
  async function waiting(kind: string) {
    const remote = remoteUnderTest(carrier);
    const { deps, caller } = remote;
    if (kind === "label") {
      const { shipmentId } = await remote.insert();
      const request = labelRequest(caller, shipmentId, newClaim(), `rate_scripted_${shipmentId}`);
      return { remote, act: (call = patient) => createLabel(deps, request, call) };
    }
    const { id, shipment_id: shipmentId } = await remote.newLabel();
    await takeForVoid(remote.later(60), { ...remote.intent(), shipmentId });
    remote.calls.length = 0;
    return { remote, act: (call = patient) => voidLabel(deps, voidRequest(caller, id), call) };
  }

  test.each(["label", "void"])("of a %s has no outcome if it has waited for five seconds", async (kind) => {
    const { remote, act } = await waiting(kind);
    slowStatements(remote, 1_300);
    await expect(act()).rejects.toMatchObject(unknown);
    expect(remote.calls).toEqual([]);
  });

  test.each(["label", "void"])("of a %s waits no longer than it has time", async (kind) => {
    const { remote, act } = await waiting(kind);
    const begun = performance.now();
    await expect(act(hurried())).rejects.toMatchObject(unknown);
    expect(performance.now() - begun).toBeGreaterThan(100);
    expect(remote.calls).toEqual([]);
  });
});

describe("a request that continues a booking", () => {
  /** Stores a booking in doubt that the carrier does not have. */
  async function inDoubt() {
    const remote = remoteUnderTest(carrier);
    remote.expect("book", { before: lost });
    const { repeat } = await remote.inDoubt();
    remote.calls.length = 0;
    return { remote, repeat };
  }

  test.each<[string, (remote: Remote) => Promise<unknown>]>([
    ["the worker takes", ({ later }) => takeDue(later(60), 1_000, 1_000)],
    ["is dropped", async ({ deps, bookings }) => dropBooking(deps, (await bookings())[0]!)],
  ])("that %s while it searches does not call the carrier", async (_what, act) => {
    const { remote, repeat } = await inDoubt();
    during(remote, "find", () => act(remote));
    await expect(repeat()).rejects.toMatchObject(unknown);
    expect(remote.called()).toEqual(["find"]);
  });

  test("may search for as long as the carrier takes", async () => {
    const { remote, repeat } = await inDoubt();
    const now = performance.now.bind(performance);
    during(remote, "find", async () => void jest.spyOn(performance, "now").mockImplementation(() => now() + 2_500));
    expect(toSnapshot(await repeat()).status).toBe(201);
  });
});

describe("a claim that gets another answer", () => {
  test("while its carrier is called: the booking is to be cancelled", async () => {
    const remote = remoteUnderTest(carrier);
    const claim = newClaim();
    const { id: other } = carrier.newShipment(remote.caller);
    const another = newClaim(claim.idempotencyKey, "another");
    during(remote, "book", () => carrier.label(remote.caller, other, another));
    expect((await remote.label(remote.newShipment(), claim)).outcome.case).toBe("conflict");
    expect(await remote.bookings()).toMatchObject([{ state: "cancelling" }]);
  });

  test.each(["conflict", "stale"])("before a void: %s, and the carrier does not cancel the booking", async (answer) => {
    const remote = remoteUnderTest(carrier);
    const [{ id }, claim] = [await remote.newLabel(), newClaim()];
    if (answer === "stale") await fence(carrier.deps.db, remote.caller, claim);
    else await remote.label(remote.newShipment(), newClaim(claim.idempotencyKey, "another"));
    remote.calls.length = 0;
    expect((await remote.void(id, claim)).outcome.case).toBe(answer);
    expect(remote.calls).toEqual([]);
  });
});
