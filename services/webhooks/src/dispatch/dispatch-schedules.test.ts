import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { silentLog } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import { rowsIn } from "@shipping/kit/testing/rows";
import { explore } from "@shipping/kit/testing/schedules/explore";
import { scheduledDatabases } from "@shipping/kit/testing/schedules/scheduled-database";
import sql from "sql-template-tag";
import { makeDeps } from "../start-webhooks.js";
import { type Reaction, scheduledReceiver } from "../testing/scheduled-receiver.js";
import { inexactRows } from "../testing/stored-deliveries.js";
import { subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { acceptEvents } from "./accept-event.js";
import type { DispatchDeps } from "./deps.js";
import { dispatchOnce } from "./dispatch-deliveries.js";
import { MAX_IN_FLIGHT } from "./ready-queue.js";
import { sweepOnce } from "./sweep-deliveries.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);
let openScheduled: Awaited<ReturnType<typeof scheduledDatabases>>;
beforeAll(async () => {
  openScheduled = await scheduledDatabases(webhooks, [
    ...["deliveries", "events", "ready_queue", "dead_events", "ledger", "held_accounts"],
    ...["subscription_changes", "active_subscriptions", "subscription_hours", "subscription_health", "subscriptions"],
    "broken_rules",
  ]);
  await webhooks.db.pool.query(NOTES);
});

const POLL_MS = 5_000;
const SWEEP_MS = 10_000;
const MINUTE_MS = 60_000;
const FREEZES_MS = [25_000, 90_000];
const REPLICAS = ["replica 1", "replica 2"];
const BAD: readonly Reaction[] = [500, "breaks", "never"];

// Some faults leave no trace at the end: an attempt that ends twice, one that is said to have lost a lease that still runs, and attempts
// that are claimed beyond a subscription's slots. They are recorded when they are written.
const NOTES = `
  CREATE TABLE broken_rules (rule text, subscription_id text);
  CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO broken_rules VALUES (TG_NAME, OLD.subscription_id); RETURN NULL; END $$;
  CREATE TRIGGER ended_twice AFTER UPDATE ON deliveries FOR EACH ROW
    WHEN (OLD.state NOT IN ('pending', 'in_flight') OR OLD.state = 'pending' AND NEW.state NOT IN ('in_flight', 'cancelled'))
    EXECUTE FUNCTION note();
  CREATE TRIGGER expired_early AFTER UPDATE ON deliveries FOR EACH ROW
    WHEN (NEW.last_error = 'lease_expired' AND OLD.lease_until > scheduled_time()) EXECUTE FUNCTION note();
  CREATE TRIGGER claimed_beyond_slots AFTER UPDATE ON ready_queue FOR EACH ROW
    WHEN (NEW.in_flight > OLD.in_flight AND NEW.in_flight > CASE WHEN OLD.fail_streak >= 3 THEN 2 ELSE ${MAX_IN_FLIGHT} END)
    EXECUTE FUNCTION note();`;

interface Delivery {
  subscriptionId: string;
  eventId: string;
  state: string;
  attempt: number;
}

test("every delivery is claimed by one attempt at a time and arrives, whatever the order of statements, commits, answers and timers", async () => {
  await explore(20, async (schedule) => {
    const open = await openScheduled(schedule);
    const network = { isGood: false };
    let hasFrozen = false;
    const { connections, sent } = scheduledReceiver(schedule, () => {
      if (network.isGood) return 204;
      // A process that stops while its request is out learns of the answer long after others have taken the delivery.
      if (schedule.choose(8) === 0) {
        hasFrozen = true;
        schedule.freeze(REPLICAS[schedule.choose(2)]!, FREEZES_MS[schedule.choose(FREEZES_MS.length)]!);
      }
      return schedule.choose(3) > 0 ? 204 : BAD[schedule.choose(BAD.length)]!;
    });
    const { random } = schedule;
    const now = () => new Date(Date.UTC(2026, 10, 26) + schedule.nowMs());
    const caller: Caller = { accountId: newId("acc", random), environment: "sandbox" };
    const setUp = makeDeps(webhooks.partsOf({ random }), () => {});
    const subscriptions = [];
    for (let path = schedule.choose(2); path >= 0; path--)
      subscriptions.push(await subscribe(setUp, caller, `http://localhost/${path}`));
    const events = Array.from({ length: [3, 12][schedule.choose(2)]! }, () =>
      newEvent({ type: "shipment.created", caller, data: "{}", now: now(), random }),
    );

    // With few slots, most deliveries are inserted pending, and the dispatchers of both replicas claim them.
    const config = { MAX_ATTEMPTS_IN_FLIGHT: [1, 4, 64][schedule.choose(3)]! };

    /** A replica with the real loops of dispatcher and sweeper. */
    function startReplica(name: string) {
      return schedule.run(name, "start", async () => {
        const parts = webhooks.partsOf({ db: open(), random, now, config });
        const deps: DispatchDeps = Object.assign(
          makeDeps(parts, () => dispatcher.wake()),
          { connections },
        );
        const dispatcher = startLoop({
          ...{ name: "dispatch", everyMs: POLL_MS, log: silentLog() },
          once: async (isStopping) => {
            while (!isStopping() && (await dispatchOnce(deps)) > 0);
          },
        });
        const sweeper = startLoop({ name: "sweep", everyMs: SWEEP_MS, log: silentLog(), once: () => sweepOnce(deps) });
        const stop = async () => {
          deps.attempts.claimNoMore();
          await Promise.all([dispatcher.stop(), sweeper.stop()]);
          await deps.attempts.stop(MINUTE_MS, () => {});
        };
        return { name, deps, stop };
      });
    }

    async function play() {
      const replicas = await Promise.all(REPLICAS.map(startReplica));
      // The bus may deliver a message more than once.
      const arrivals = events.flatMap((event) => (schedule.choose(3) === 0 ? [event, event] : [event]));
      const inboxes = replicas.map(async (replica, at) => {
        const arriving = arrivals.filter((_, index) => index % 2 === at);
        await schedule.run(replica!.name, "inbox", () => acceptEvents(replica!.deps, arriving));
        return arriving;
      });
      const chaos = schedule.run("chaos", "kills", async () => {
        if (schedule.choose(3) > 0) return;
        for (let pause = schedule.choose(30); pause > 0; pause--) await schedule.step("waits");
        schedule.kill("replica 2");
      });
      await Promise.all([...inboxes, chaos]);
      await sleep([1, POLL_MS, 2 * MINUTE_MS][schedule.choose(3)]!);
      network.isGood = true;
      schedule.calmDown();
      await Promise.all(replicas.map((replica) => schedule.run(replica!.name, "stop", replica!.stop)));
      const last = await startReplica("replica 3");
      await schedule.run("replica 3", "inbox", () => acceptEvents(last!.deps, events));
      await schedule.run("replica 3", "waits", async () => {
        const unfinished = sql`SELECT FROM deliveries WHERE state IN ('pending', 'in_flight')`;
        while ((await last!.deps.db.run(unfinished)).length > 0) await sleep(MINUTE_MS);
        await last!.stop();
      });
    }

    async function check() {
      const deliveries = await rowsIn<Delivery>(webhooks.db, "deliveries");
      expect(deliveries).toHaveLength(events.length * subscriptions.length);
      expect(deliveries.filter(({ state }) => state !== "delivered")).toEqual([]);
      expect(await inexactRows(webhooks.db)).toEqual([]);
      expect(await rowsIn(webhooks.db, "broken_rules")).toEqual([]);
      for (const path of new Set(sent.map((each) => each.path))) {
        const ofPath = sent.filter((each) => each.path === path);
        // A paused process may still send deliveries that others have taken meanwhile.
        for (const { atMs } of hasFrozen ? [] : ofPath) {
          const open = ofPath.filter((each) => each.atMs <= atMs && (each.endedAtMs ?? each.atMs + 10_000) > atMs);
          expect(open.length).toBeLessThanOrEqual(MAX_IN_FLIGHT);
        }
        for (const event of events) {
          const times = ofPath.filter(({ eventId }) => eventId === event.id).map(({ atMs }) => atMs);
          // A failed attempt is repeated after a minute at the earliest.
          for (const [at, time] of times.entries())
            if (at > 0 && !hasFrozen) expect(time - times[at - 1]!).toBeGreaterThanOrEqual(MINUTE_MS);
        }
      }
      for (const event of events) {
        const attempts = deliveries.filter(({ eventId }) => eventId === event.id).map(({ attempt }) => attempt);
        const requests = sent.filter(({ eventId }) => eventId === event.id).length;
        expect(requests).toBeLessThanOrEqual(attempts.reduce((sum, each) => sum + each, 0));
      }
    }

    return { play, check };
  });
});
