import type { Caller } from "@shipping/kit/caller";
import { executedNow } from "@shipping/kit/ledger/ledger";
import { eventually } from "@shipping/kit/testing/eventually";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { CarrierRefusal, type LocalCarrier } from "./carriers/carrier.js";
import { createLabel } from "./create-label.js";
import { carrierUnderTest, labelRequest, patient } from "./testing/carrier-under-test.js";

const carrier = forAllTests(carrierUnderTest);
afterEach(() => carrier.trouble.clear());

/** Counts the rows that are stored for a caller. */
async function stored(caller: ReturnType<typeof newCaller>) {
  const { db } = carrier.deps;
  const [labels, files, ledger, outbox] = await Promise.all([
    countIn(db, "labels", { ...caller }),
    countIn(db, "label_files", { ...caller }),
    countIn(db, "ledger", { ...caller, kind: "result" }),
    countIn(db, "outbox", { ...caller }),
  ]);
  return { labels, files, ledger, outbox };
}

const down = async () => new Error("down");
const nothing = { labels: 0, files: 0, ledger: 0, outbox: 0 };
const one = { labels: 1, files: 1, ledger: 1, outbox: 1 };

describe("createLabel", () => {
  test("answers 201 with the label and stores label, file, event and result", async () => {
    const caller = newCaller();
    const { id: shipmentId } = carrier.newShipment(caller);
    const { status, replayed, json } = toSnapshot(await carrier.label(caller, shipmentId));
    expect({ status, replayed }).toEqual({ status: 201, replayed: false });
    expect(json).toEqual({
      id: expect.stringMatching(/^lbl_[a-z2-7]{26}$/),
      object: "label",
      shipment_id: shipmentId,
      status: "created",
      carrier: "service_sandbox",
      tracking_number: expect.stringMatching(/^TEST\d{20}$/),
      format: "pdf",
      download_path: `/api/v1/labels/${json.id}/file`,
      charge: { currency: "EUR", amount: 0 },
      test: true,
      created_at: "2026-11-21T10:00:00.123Z",
    });
    expect(await stored(caller)).toEqual(one);
  });

  test("emits label.created, and records and tracking have it before the answer", async () => {
    const caller = newCaller();
    const label = await carrier.newLabel(caller);
    const mine = ({ accountId }: { accountId: string }) => accountId === caller.accountId;
    const [event] = carrier.published.filter(mine);
    expect(event?.type).toBe("label.created");
    expect(JSON.parse(Buffer.from(event!.body).toString())).toEqual({
      id: event!.id,
      type: "label.created",
      livemode: false,
      created_at: "2026-11-21T10:00:00.123Z",
      data: label,
    });
    expect(carrier.applied.records.filter(mine)).toEqual([event]);
    expect(carrier.applied.tracking.filter(mine)).toEqual([event]);
    await eventually(async () => {
      const [row] = await rowsIn(carrier.deps.db, "outbox", { ...caller });
      expect(row).toMatchObject({ projectedAt: expect.any(Date) });
    });
  });

  test("answers 201 even if records and tracking cannot be reached", async () => {
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    carrier.trouble.set("records", down).set("tracking", down);
    const { status } = toSnapshot(await carrier.label(caller, id));
    expect(status).toBe(201);
    expect(await rowsIn(carrier.deps.db, "outbox", { ...caller })).toMatchObject([{ projectedAt: null }]);
  });

  test.each(["", "rate_test_", "rate_test_shp_x", "RATE_TEST_", " rate_test_"])(
    "422 rate_id when the rate is %j, whether or not there is such a shipment",
    async (start) => {
      const caller = newCaller();
      const { id } = carrier.newShipment(caller);
      const rateId = start.endsWith("x") ? start : start + (start === "rate_test_" ? `${id} ` : id);
      for (const shipmentId of [id, "shp_missing"]) {
        const refused = carrier.label(caller, shipmentId, newClaim(), rateId);
        const message = "must be the ID of a rate for this shipment, as POST /rates returns it";
        await expect(refused).rejects.toMatchObject({
          code: "invalid_request",
          fields: [{ path: "rate_id", message }],
        });
      }
      expect(await stored(caller)).toEqual(nothing);
    },
  );

  const missing = { code: "not_found", message: "No such shipment." };
  test.each<[string, (caller: Caller) => { id: string }, object]>([
    ["404 for a missing shipment", () => ({ id: "shp_missing" }), missing],
    ["404 for another account's", () => carrier.newShipment(newCaller()), missing],
    ["404 for the other environment's", (mine) => carrier.newShipment({ ...mine, environment: "live" }), missing],
    [
      "409 label_exists by its status",
      (mine) => carrier.newShipment(mine, { status: "label_created" }),
      { code: "label_exists" },
    ],
    ["409 shipment_voided", (mine) => carrier.newShipment(mine, { status: "voided" }), { code: "shipment_voided" }],
    [
      "503, for certain, when records cannot be asked",
      () => {
        carrier.trouble.set("read", down);
        return { id: "shp_a" };
      },
      { code: "service_unavailable" },
    ],
  ])("%s, and nothing is stored", async (_what, shipment, failure) => {
    const caller = newCaller();
    await expect(carrier.label(caller, shipment(caller).id)).rejects.toMatchObject(failure);
    expect(await stored(caller)).toEqual(nothing);
  });

  test("a repetition after records has the label is a replay, even under a new token", async () => {
    const caller = newCaller();
    const shipment = carrier.newShipment(caller);
    const claim = newClaim();
    const first = toSnapshot(await carrier.label(caller, shipment.id, claim));
    shipment.status = "label_created";
    const later = { ...claim, token: claim.token + 1n };
    const again = toSnapshot(await carrier.label(caller, shipment.id, later));
    expect(again).toEqual({ ...first, replayed: true });
    expect(await stored(caller)).toEqual(one);
  });

  test("409 label_exists or shipment_voided by the label itself while records still says draft, and the key stays free", async () => {
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    const claim = newClaim();
    const label = toSnapshot(await carrier.label(caller, id)).json;
    const second = () => carrier.label(caller, id, claim);
    const message = `The shipment already has the label ${label.id}. Create a new shipment for another one.`;
    await expect(second()).rejects.toMatchObject({ code: "label_exists", message });
    await carrier.void(caller, label.id);
    await expect(second()).rejects.toMatchObject({ code: "shipment_voided" });
    const { id: other } = carrier.newShipment(caller);
    expect(executedNow(await carrier.label(caller, other, claim))).toBe(true);
  });

  test("409 shipment_voided by the label itself while records still says label_created", async () => {
    const caller = newCaller();
    const shipment = carrier.newShipment(caller);
    const label = toSnapshot(await carrier.label(caller, shipment.id)).json;
    shipment.status = "label_created";
    await carrier.void(caller, label.id);
    const second = carrier.label(caller, shipment.id);
    await expect(second).rejects.toMatchObject({ code: "shipment_voided" });
  });

  test.each([
    ["500, for certain,", new Error("no such glyph"), { code: "internal_error" }],
    [
      "422 with its words",
      new CarrierRefusal("no such street."),
      { fields: [{ path: "shipment_id", message: "was refused by the carrier: no such street." }] },
    ],
  ])("%s if a local carrier makes no label", async (_status, error, failure) => {
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    const sandbox = { ...carrier.deps.carriers.sandbox, book: () => Promise.reject(error) } as LocalCarrier;
    const deps = { ...carrier.deps, carriers: { ...carrier.deps.carriers, sandbox } };
    await expect(createLabel(deps, labelRequest(caller, id), patient)).rejects.toMatchObject(failure);
    expect(await stored(caller)).toEqual(nothing);
  });
});

describe("createLabel under its idempotency key", () => {
  test("the same request again is a replay, byte by byte, with one label and one event", async () => {
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    const claim = newClaim();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => carrier.label(caller, id, claim)));
    const snapshots = outcomes.map(toSnapshot);
    expect(snapshots.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(snapshots.map(({ body }) => Buffer.from(body).toString())).size).toBe(1);
    expect(await stored(caller)).toEqual(one);
  });

  test("of two keys for one shipment at the same instant one gets the label, the other label_exists", async () => {
    const caller = newCaller();
    const rounds = Array.from({ length: 3 }, () => carrier.newShipment(caller).id);
    for (const id of rounds) {
      const ends = await Promise.allSettled([1, 2].map(() => carrier.label(caller, id)));
      expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(1);
      expect(ends.find((end) => end.status === "rejected")?.reason).toMatchObject({ code: "label_exists" });
    }
    expect(await stored(caller)).toEqual({ labels: 3, files: 3, ledger: 3, outbox: 3 });
  });
});
