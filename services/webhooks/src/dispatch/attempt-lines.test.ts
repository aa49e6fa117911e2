import { createLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { type Responder, startReceiver, withStatus } from "../testing/receiver.js";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import { sweepOnce } from "./sweep-deliveries.js";

const MINUTE_MS = 60_000;

let webhooks: Awaited<ReturnType<typeof webhooksUnderTest>>;
beforeEach(async () => {
  webhooks = await webhooksUnderTest();
});
afterEach(() => webhooks.end());

/** Starts a replica, and collects the lines that it writes about attempts. */
function logged(clockOffsetMs = 0) {
  const written: string[] = [];
  const log = createLog({ part: "webhooks", destination: { write: (line: string) => void written.push(line) } });
  const lines = () => written.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "attempt");
  return { deps: webhooks.replica({ log, clockOffsetMs }), lines };
}

/** Every line about an attempt has these fields, whatever its result. */
const everyLine = {
  time: expect.any(String),
  event: expect.stringMatching(/^evt_/),
  subscription: expect.stringMatching(/^whk_/),
  attempt: expect.any(Number),
  outcome: expect.stringMatching(/^(delivered|failed)$/),
  ms: expect.any(Number),
};

const AT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
const drop: Responder = (response) => response.destroy();

test.each<[string, Responder | undefined, Record<string, unknown>]>([
  ["delivered", withStatus(204), { outcome: "delivered", status: 204, next_at: null }],
  ["refused", withStatus(500), { outcome: "failed", status: 500, next_at: AT }],
  ["redirected", withStatus(302), { outcome: "failed", status: 302, next_at: AT }],
  ["cut off", drop, { outcome: "failed", error: "connection", next_at: AT }],
  ["sent to a closed port", undefined, { outcome: "failed", error: "connection", next_at: AT }],
])(
  "an attempt that is %s has event, subscription, attempt, status or error, milliseconds and next time",
  async (_, answer, end) => {
    const { deps, lines } = logged();
    const receiver = answer && (await startReceiver(answer));
    const caller = newCaller();
    const { id } = await subscribe(deps, caller, receiver?.url ?? "http://localhost:1/hook");
    const event = eventFor(caller);
    await acceptEvents(deps, [event]);
    await eventually(() => expect(lines()).toHaveLength(1));
    const [line] = lines();
    expect(line).toMatchObject({ ...everyLine, event: event.id, subscription: id, attempt: 1, ...end });
    expect("status" in line).not.toBe("error" in line);
    await receiver?.close();
  },
);

test("the eighth failure has no next time", async () => {
  const inbox = logged().deps;
  await inbox.attempts.stop(0, () => {});
  const receiver = await startReceiver(withStatus(503));
  const caller = newCaller();
  await subscribe(inbox, caller, receiver.url);
  await acceptEvents(inbox, [eventFor(caller)]);
  await inbox.db.run(sql`UPDATE deliveries SET attempt = 7`);
  const { deps, lines } = logged();
  await dispatchOnce(deps);
  await eventually(() => expect(lines()).toHaveLength(1));
  expect(lines()[0]).toMatchObject({ ...everyLine, attempt: 8, status: 503, next_at: null });
  await receiver.close();
});

test("an attempt that died with its process is logged by the process that ends it, with the time of its lease", async () => {
  const dying = logged();
  const receiver = await startReceiver(() => {});
  const caller = newCaller();
  await subscribe(dying.deps, caller, receiver.url);
  await acceptEvents(dying.deps, [eventFor(caller)]);
  const sweeper = logged(MINUTE_MS);
  expect(await sweepOnce(sweeper.deps)).toMatchObject({ expired: 1 });
  const end = { level: "warn", attempt: 1, outcome: "failed", error: "lease_expired", ms: 20_000, next_at: AT };
  expect(sweeper.lines()).toEqual([expect.objectContaining({ ...everyLine, ...end })]);
  // The attempt that comes back late logs that its end no longer counts.
  await receiver.close();
  await eventually(() => expect(dying.lines()).toHaveLength(1));
  expect(dying.lines()[0]).toMatchObject({ ...everyLine, error: "connection", fenced: true, next_at: null });
});
