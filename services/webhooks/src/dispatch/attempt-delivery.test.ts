import { createLog } from "@shipping/kit/process/log";
import { secretIdentity } from "../subscriptions/subscription.js";
import { type Responder, withStatus } from "../testing/receiver.js";
import { webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { attemptDelivery } from "./attempt-delivery.js";
import type { ClaimedDelivery } from "./attempts.js";
import type { Ended } from "./complete-delivery.js";
import type { DispatchDeps } from "./deps.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let deps: DispatchDeps;
const lines: string[] = [];
beforeAll(() => {
  const destination = { write: (line: string) => void lines.push(line) };
  deps = webhooks.replica({ log: createLog({ part: "webhooks", destination }) });
});
beforeEach(() => {
  lines.length = 0;
});

function claimedFor(url: string, attempt = 1): ClaimedDelivery {
  const ids = { accountId: "acc_1", subscriptionId: "whk_1", eventId: "evt_1", claimId: "claim" };
  const sealedSecret = deps.keyRing.seal(Buffer.from("whsec_private"), secretIdentity(ids.subscriptionId));
  return { ...ids, attempt, unhealthy: false, url, sealedSecret, body: Buffer.from("{}"), traceparent: "" };
}

const completed: Ended[] = [];
const complete = async (ended: Ended) => {
  completed.push(ended);
  return { endedAt: new Date("2026-11-21T09:59:00.000Z"), nextAt: new Date("2026-11-21T10:00:00.000Z") };
};

describe("attemptDelivery", () => {
  test("logs one wide line with the host alone: no path, no query, no secret", async () => {
    const receiver = await webhooks.receiver(withStatus(500));
    const began = performance.now();
    await attemptDelivery(deps, complete, claimedFor(receiver.url, 2), began);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!).ms).toBeLessThanOrEqual(Math.ceil(performance.now() - began));
    expect(JSON.parse(lines[0]!)).toMatchObject({
      msg: "attempt",
      event: "evt_1",
      subscription: "whk_1",
      attempt: 2,
      host: `localhost:${receiver.port}`,
      outcome: "failed",
      status: 500,
      ms: expect.any(Number),
      next_at: "2026-11-21T10:00:00.000Z",
    });
    expect(lines[0]).not.toMatch(/\/hook|token|private|whsec/);
  });

  const drop: Responder = (response) => response.destroy();
  test.each<[string, Responder, Record<string, unknown>]>([
    ["delivered", withStatus(204), { outcome: "delivered", status: 204 }],
    ["refused", withStatus(302), { outcome: "failed", status: 302 }],
    ["cut off", drop, { outcome: "failed", error: "connection", reason: "connection_closed" }],
  ])("the line of one that is %s has its status or its error", async (_, answer, end) => {
    const { url } = await webhooks.receiver(answer);
    const last = async () => ({ endedAt: new Date(), nextAt: null });
    await attemptDelivery(deps, last, claimedFor(url, 8), performance.now());
    const line = JSON.parse(lines[0]!);
    expect(line).toMatchObject({ attempt: 8, ms: expect.any(Number), next_at: null, ...end });
    expect("status" in line).not.toBe("error" in line);
  });

  test("logs that its claim was no longer its own", async () => {
    const receiver = await webhooks.receiver(withStatus(204));
    await attemptDelivery(deps, async () => undefined, claimedFor(receiver.url), performance.now());
    expect(JSON.parse(lines[0]!)).toMatchObject({ outcome: "delivered", fenced: true });
  });

  test("is not made by a process that was paused for half its lease", async () => {
    const receiver = await webhooks.receiver(withStatus(204));
    completed.length = 0;
    await attemptDelivery(deps, complete, claimedFor(receiver.url), performance.now() - 10_001);
    expect([receiver.received.length, completed.length]).toEqual([0, 0]);
  });

  test("records its end after a short outage of the database", async () => {
    const receiver = await webhooks.receiver(withStatus(204));
    let calls = 0;
    const awayAtFirst = async (ended: Ended) => {
      calls += 1;
      if (calls < 3) throw new Error("the database is away");
      return complete(ended);
    };
    completed.length = 0;
    await attemptDelivery(deps, awayAtFirst, claimedFor(receiver.url), performance.now());
    expect(completed).toMatchObject([{ claimId: "claim", step: { state: "delivered" }, status: 204 }]);
    expect(receiver.received).toHaveLength(1);
  });

  test("an error is logged and leaves the end to the lease", async () => {
    const receiver = await webhooks.receiver(withStatus(204));
    const sealedForAnother = { ...claimedFor(receiver.url), subscriptionId: "whk_2" };
    await attemptDelivery(deps, complete, sealedForAnother, performance.now());
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: "error", event: "evt_1", subscription: "whk_2" });
    expect(receiver.received).toHaveLength(0);
  });
});
