import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { noSuch } from "@shipping/proto/errors";
import { recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createShipment } from "./create-shipment.js";

const records = forAllTests(recordsUnderTest);

describe("createShipment", () => {
  test("answers 201 with a draft and commits shipment.created", async () => {
    const caller = newCaller();
    const { status, json } = toSnapshot(await createShipment(records.deps, shipmentRequest(caller)));
    expect(status).toBe(201);
    expect(json).toMatchObject({ id: expect.stringMatching(/^shp_/), object: "shipment", status: "draft" });
    expect(json).not.toHaveProperty("order_id");
    expect(json).not.toHaveProperty("label_id");
    const event = records.published.find(({ accountId }) => accountId === caller.accountId);
    expect(event?.type).toBe("shipment.created");
    expect(JSON.parse(Buffer.from(event?.body ?? "").toString()).data).toEqual(json);
  });

  test("takes an order of the same caller", async () => {
    const caller = newCaller();
    const order = await records.newOrder(caller);
    const request = shipmentRequest(caller, { orderId: order.id });
    expect(toSnapshot(await createShipment(records.deps, request)).json.order_id).toBe(order.id);
  });

  test("now and then, an account that has created one is looked at; a replay creates none", async () => {
    const { ownersToCount } = records.deps;
    const caller = newCaller();
    const request = shipmentRequest(caller);
    const random = jest.spyOn(Math, "random").mockReturnValue(0);
    const first = toSnapshot(await createShipment(records.deps, request));
    expect([...ownersToCount.values()]).toContainEqual({ ...caller, table: "shipments" });
    ownersToCount.clear();
    expect(toSnapshot(await createShipment(records.deps, request))).toEqual({ ...first, replayed: true });
    random.mockRestore();
    expect([...ownersToCount]).toEqual([]);
  });

  test("not_found for a missing or foreign order, and the key stays free", async () => {
    const [caller, other] = [newCaller(), newCaller()];
    const foreign = await records.newOrder(other);
    const mineInLive = await records.newOrder({ ...caller, environment: "live" });
    const claim = newClaim("k1");
    for (const orderId of ["ord_aaaaaaaaaaaaaaaaaaaaaaaaaa", foreign.id, mineInLive.id]) {
      const refused = createShipment(records.deps, shipmentRequest(caller, { claim, orderId }));
      await expect(refused).rejects.toMatchObject({ code: "not_found", message: noSuch("order") });
    }
    expect(await countIn(records.deps.db, "ledger", { ...caller })).toBe(0);
    expect(await countIn(records.deps.db, "outbox", { ...caller })).toBe(0);
    const good = await createShipment(records.deps, shipmentRequest(caller, { claim }));
    expect(toSnapshot(good).replayed).toBe(false);
  });

  test("of 40 concurrent creations, only the one that names a missing order fails", async () => {
    const caller = newCaller();
    const requests = Array.from({ length: 40 }, (_, at) =>
      shipmentRequest(caller, at === 17 ? { orderId: "ord_aaaaaaaaaaaaaaaaaaaaaaaaaa" } : {}),
    );
    const ends = await Promise.allSettled(requests.map((request) => createShipment(records.deps, request)));
    const refused = ends.flatMap((end, at) => (end.status === "rejected" ? [{ at, code: end.reason.code }] : []));
    expect(refused).toEqual([{ at: 17, code: "not_found" }]);
    expect(await countIn(records.deps.db, "shipments", { accountId: caller.accountId })).toBe(39);
    expect(await countIn(records.deps.db, "outbox", { accountId: caller.accountId })).toBe(39);
  });
});
