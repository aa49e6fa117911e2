import { create } from "@bufbuild/protobuf";
import { executedNow } from "@shipping/kit/ledger/ledger";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn } from "@shipping/kit/testing/rows";
import { fence, newCaller, newClaim, textIn, toSnapshot } from "@shipping/kit/testing/writes";
import { noSuch } from "@shipping/proto/errors";
import { GetLabelRequestSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { getLabel } from "./read-labels.js";
import { carrierUnderTest, patient, voidRequest } from "./testing/carrier-under-test.js";
import { voidLabel } from "./void-label.js";

const carrier = forAllTests(carrierUnderTest);

function voids(caller: ReturnType<typeof newCaller>) {
  return countIn(carrier.deps.db, "outbox", { ...caller, type: "label.voided" });
}

describe("voidLabel", () => {
  test("answers 200 with the voided label and emits label.voided, which records and tracking have too", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    const { status, json } = toSnapshot(await carrier.void(caller, label.id));
    expect(status).toBe(200);
    expect(json).toEqual({ ...label, status: "voided", voided_at: "2026-11-21T10:00:00.123Z" });
    const read = await getLabel(carrier.deps, create(GetLabelRequestSchema, { caller, id: label.id }));
    expect(textIn(read)).toBe(JSON.stringify(json));
    for (const events of [carrier.applied.records, carrier.applied.tracking]) {
      const event = events.find(({ type, accountId }) => type === "label.voided" && accountId === caller.accountId);
      expect(JSON.parse(Buffer.from(event!.body).toString()).data).toEqual(json);
    }
  });

  test("a voided label with a new key: answered unchanged, the key reserved, no second event, and none sent to neighbours", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    const first = toSnapshot(await carrier.void(caller, label.id));
    const later = { ...carrier.deps, now: () => new Date("2027-01-01T00:00:00.000Z") };
    const claim = newClaim();
    const second = toSnapshot(await voidLabel(later, voidRequest(caller, label.id, claim), patient));
    expect(second).toEqual({ ...first, replayed: false });
    const again = toSnapshot(await voidLabel(later, voidRequest(caller, label.id, claim), patient));
    expect(again).toEqual({ ...first, replayed: true });
    const other = { ...claim, fingerprint: newClaim("", "another").fingerprint };
    expect((await voidLabel(later, voidRequest(caller, label.id, other), patient)).outcome.case).toBe("conflict");
    expect(await voids(caller)).toBe(1);
    const { applied, published } = carrier;
    for (const heard of [applied.records, applied.tracking, published]) {
      const isVoid = ({ type, accountId }: Event) => type === "label.voided" && accountId === caller.accountId;
      expect(heard.filter(isVoid)).toHaveLength(1);
    }
  });

  test("404 for a label that is missing, another account's, or the other environment's, and the key stays free", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    const claim = newClaim();
    for (const [who, id] of [
      [caller, "lbl_missing"],
      [newCaller(), label.id],
      [{ ...caller, environment: "live" as const }, label.id],
    ] as const) {
      const refused = carrier.void(who, id, claim);
      await expect(refused).rejects.toMatchObject({ code: "not_found", message: noSuch("label") });
    }
    expect(executedNow(await carrier.void(caller, label.id, claim))).toBe(true);
  });

  test("a claim that was fenced off is stale and does not void the label", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    const fenced = newClaim("k1");
    await fence(carrier.deps.db, caller, fenced);
    const { outcome } = await carrier.void(caller, label.id, fenced);
    expect(outcome.case).toBe("stale");
    expect(await voids(caller)).toBe(0);
  });

  test("voids of one label at the same instant, each with its own key, all answer the same label, with one event", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    let ticks = 0;
    const deps = { ...carrier.deps, now: () => new Date(Date.UTC(2026, 11, 1, 0, 0, ticks++)) };
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => voidLabel(deps, voidRequest(caller, label.id), patient)),
    );
    const bodies = outcomes.map((outcome) => Buffer.from(toSnapshot(outcome).body).toString());
    expect(new Set(bodies).size).toBe(1);
    expect(outcomes.every(executedNow)).toBe(true);
    expect(await voids(caller)).toBe(1);
  });
});
