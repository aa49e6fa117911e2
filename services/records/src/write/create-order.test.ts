import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { orderRequest, recordsUnderTest } from "../testing/records-under-test.js";
import { createOrder } from "./create-order.js";

const records = forAllTests(recordsUnderTest);

const bodyOf = (event: Event | undefined) => JSON.parse(Buffer.from(event?.body ?? "null").toString());
const published = (accountId: string) => records.published.filter((event) => event.accountId === accountId);
async function rowsOf(accountId: string) {
  const { db } = records.deps;
  return { orders: await countIn(db, "orders", { accountId }), events: await countIn(db, "outbox", { accountId }) };
}

describe("createOrder", () => {
  test("answers 201 with the order and commits its event, whose data is that very body", async () => {
    const caller = newCaller();
    const metadata = { text: '{"__proto__":{"x":1},"b":2,"a":1}' };
    const { status, replayed, json } = toSnapshot(await createOrder(records.deps, orderRequest(caller, { metadata })));
    expect({ status, replayed }).toEqual({ status: 201, replayed: false });
    expect(json).toMatchObject({
      id: expect.stringMatching(/^ord_[a-z2-7]{26}$/),
      object: "order",
      status: "received",
      reference: "A-1",
      to: { name: "Grace", company: "Navy" },
      parcel: { weight_kg: 1.5, length_cm: 30, width_cm: 20, height_cm: 10 },
      livemode: false,
      created_at: "2026-11-21T10:00:00.123Z",
    });
    expect(JSON.stringify(json.metadata)).toBe(metadata.text);
    const [event] = published(caller.accountId);
    expect(bodyOf(event)).toEqual({
      id: event?.id,
      type: "order.created",
      livemode: false,
      created_at: "2026-11-21T10:00:00.123Z",
      data: json,
    });
  });

  test("a live order says so, and so does its event", async () => {
    const caller = newCaller("live");
    expect((await records.newOrder(caller)).livemode).toBe(true);
    expect(bodyOf(published(caller.accountId)[0]).livemode).toBe(true);
  });

  test("20 equal executions at once: one creates, 19 replay the same bytes", async () => {
    const caller = newCaller();
    const request = orderRequest(caller);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => createOrder(records.deps, request)));
    const snapshots = outcomes.map(toSnapshot);
    expect(snapshots.filter((snapshot) => !snapshot.replayed)).toHaveLength(1);
    expect(new Set(snapshots.map((snapshot) => JSON.stringify(snapshot.json))).size).toBe(1);
    expect(await rowsOf(caller.accountId)).toEqual({ orders: 1, events: 1 });
    expect(published(caller.accountId)).toHaveLength(1);
  });

  test("now and then, an account that has created one is looked at", async () => {
    const caller = newCaller();
    const random = jest.spyOn(Math, "random").mockReturnValue(0);
    await createOrder(records.deps, orderRequest(caller));
    random.mockRestore();
    expect([...records.deps.ownersToCount.values()]).toContainEqual({ ...caller, table: "orders" });
  });
});
