import { randomBytes } from "node:crypto";
import { fail, toConnectError } from "@shipping/kit/errors";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { carrierUnderTest, patient } from "../testing/carrier-under-test.js";
import { createProjectOnce, projectLabelEvent } from "./project-label-event.js";

const carrier = forAllTests(carrierUnderTest);
beforeEach(async () => {
  await carrier.deps.db.run(sql`DELETE FROM outbox`);
  carrier.trouble.clear();
  for (const heard of [carrier.applied.records, carrier.applied.tracking, carrier.seen]) heard.length = 0;
});

const away = async () => new Error("away");

/** Returns the worker as if `seconds` had passed. */
const projectionAfter = (seconds: number) => createProjectOnce({ ...carrier.deps, clockOffsetMs: seconds * 1_000 });

/** Runs the worker once. */
const runAfter = (seconds: number) => projectionAfter(seconds)();

/** Makes labels whose events do not reach tracking. */
async function labelsMissed(count: number) {
  carrier.trouble.set("tracking", away);
  const caller = newCaller();
  for (let made = 0; made < count; made += 5) await Promise.all([1, 2, 3, 4, 5].map(() => carrier.newLabel(caller)));
  carrier.trouble.clear();
}

async function unprojected() {
  await Promise.all([carrier.deps.projectedMarks.flush(), carrier.deps.outbox.stop()]);
  return countIn(carrier.deps.db, "outbox", { projectedAt: null });
}

describe("projectLabelEvent", () => {
  const events = [1, 2, 3].map(() => {
    return newEvent({ type: "label.created", caller: newCaller(), data: "{}", now: new Date(), random: randomBytes });
  });

  /** Projects all of them at the same time, and returns the calls that were made, with the requests that each was for. */
  async function projectTogether(deps = carrier.deps): Promise<string[]> {
    await Promise.all(
      events.map((event, at) => projectLabelEvent(deps, event, { ...patient, requestId: `req_${at}` })),
    );
    return carrier.seen.map(({ method, requestHeader }) => `${method.name} ${requestHeader.get("x-request-id")}`);
  }

  test("events that are ready at the same time share a call to each neighbour, which names all their requests", async () => {
    const shared = "ApplyLabelEvents req_0,req_1,req_2";
    expect(await projectTogether()).toEqual([shared, shared]);
    expect(carrier.applied).toEqual({ records: events, tracking: events });
  });

  test("a neighbour that refuses one of them gets them one by one", async () => {
    const applyLabelEvents = () => Promise.reject(toConnectError(fail("internal_error")));
    await projectTogether({ ...carrier.deps, records: { ...carrier.records, applyLabelEvents } });
    expect(carrier.applied.records).toEqual(events);
    expect(new Set(carrier.applied.tracking.map(({ id }) => id))).toEqual(new Set(events.map(({ id }) => id)));
  });
});

describe("projectOnce", () => {
  test("repeats the events that one neighbour has missed, created before voided, and marks them", async () => {
    const caller = newCaller();
    carrier.trouble.set("tracking", away);
    const label = await carrier.newLabel(caller);
    await carrier.void(caller, label.id);
    expect(carrier.applied.tracking).toEqual([]);
    carrier.trouble.clear();
    expect(await runAfter(3)).toEqual({ projected: 2, refused: 0 });
    expect(carrier.applied.tracking.map(({ type }) => type)).toEqual(["label.created", "label.voided"]);
    expect(carrier.applied.tracking.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.id)).toEqual([
      label.id,
      label.id,
    ]);
    expect(await unprojected()).toBe(0);
    expect(await runAfter(3)).toEqual({ projected: 0, refused: 0 });
  });

  test("leaves events younger than two seconds to the operation that wrote them", async () => {
    carrier.trouble.set("records", away);
    await carrier.newLabel(newCaller());
    carrier.trouble.clear();
    expect(await runAfter(-60)).toEqual({ projected: 0, refused: 0 });
    expect(await unprojected()).toBe(1);
  });

  test("an event that has arrived stays in the outbox until both neighbours have it", async () => {
    const { db, outbox } = carrier.deps;
    carrier.trouble.set("tracking", away);
    await carrier.newLabel(newCaller());
    carrier.trouble.clear();
    await outbox.stop();
    await db.run(sql`UPDATE outbox SET published_at = published_at - interval '2 minutes'`);
    expect(await outbox.reconcileOnce()).toMatchObject({ republished: 0, deleted: 0 });
    await runAfter(3);
    expect(await unprojected()).toBe(0);
    expect(await outbox.reconcileOnce()).toMatchObject({ republished: 0, deleted: 1 });
  });

  test("an event that a neighbour refuses does not hold up others", async () => {
    carrier.trouble.set("records", away);
    await carrier.newLabel(newCaller());
    await carrier.newLabel(newCaller());
    let calls = 0;
    carrier.trouble.set("records", async () => (calls++ === 0 ? fail("internal_error") : undefined));
    expect(await runAfter(3)).toEqual({ projected: 1, refused: 1 });
    expect(await unprojected()).toBe(1);
  });

  test("an outage that a neighbour reports is not a refusal of the event", async () => {
    carrier.trouble.set("records", away);
    await carrier.newLabel(newCaller());
    carrier.trouble.set("records", async () => fail("service_unavailable"));
    await expect(runAfter(3)).rejects.toThrow("temporarily unavailable");
    expect(await unprojected()).toBe(1);
  });

  test("a stop ends the run after a batch", async () => {
    await labelsMissed(105);
    expect(await projectionAfter(3)(() => true)).toEqual({ projected: 100, refused: 0 });
    expect(await unprojected()).toBe(5);
  });

  test("while one neighbour is down, the other gets the events that it has missed, however many wait before them", async () => {
    await labelsMissed(105);
    carrier.trouble.set("records", away);
    carrier.trouble.set("tracking", away);
    const { id } = await carrier.newLabel(newCaller());
    carrier.trouble.delete("records");
    carrier.applied.records.length = 0;
    const projectOnce = projectionAfter(3);
    const arrived = () => carrier.applied.records.filter(({ body }) => Buffer.from(body).includes(id)).length;
    await expect(projectOnce()).rejects.toThrow("The outcome is unknown.");
    expect(carrier.applied.records).toHaveLength(100);
    await expect(projectOnce()).rejects.toThrow("The outcome is unknown.");
    expect(arrived()).toBe(1);
    carrier.trouble.clear();
    expect(await projectOnce()).toEqual({ projected: 106, refused: 0 });
    expect(await unprojected()).toBe(0);
  });
});
