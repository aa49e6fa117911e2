import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import { type Bus, BusOutage } from "../events/bus.js";
import { newId } from "../ids.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { outboxTestbed } from "../testing/outbox-testbed.js";
import { explore, type Schedule } from "../testing/schedules/explore.js";
import { scheduledDatabases } from "../testing/schedules/scheduled-database.js";
import { newEvent, type Outbox } from "./outbox.js";

let database: TestDatabase;
let openScheduled: Awaited<ReturnType<typeof scheduledDatabases>>;
beforeAll(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
  openScheduled = await scheduledDatabases(database, ["outbox"]);
});
afterAll(() => database.drop());

const LEASE_MS = 5_000;
const RECONCILE_MS = 60_000;

/** A stream that keeps each message ID once, and its subscriber. It may refuse an event, lose its answer, or lose an event that it has confirmed. */
function scheduledBus(schedule: Schedule) {
  const state = { isGood: false, isDown: false };
  const stored = new Set<string>();
  const received: string[] = [];
  const lost = new Set<string>();
  const bus: Bus = {
    async publish({ id }, messageId = id) {
      const fault = state.isGood ? 0 : schedule.choose(10);
      await schedule.step(`${messageId} to the bus`);
      if (fault === 1) throw new BusOutage("no quorum");
      if (!stored.has(messageId)) {
        stored.add(messageId);
        if (fault === 2) lost.add(id);
        else received.push(id);
      }
      await schedule.step(`${messageId} is confirmed`);
      if (fault === 3) throw new Error("The connection was lost.");
    },
    connected: () => !state.isDown,
    close: async () => {},
  };
  return { bus, state, received, lost };
}

test("every committed event arrives, and twice only if the bus has lost it, whatever the order of commits, publications and relays", async () => {
  await explore(25, async (schedule) => {
    const open = await openScheduled(schedule);
    const { bus, state, received, lost } = scheduledBus(schedule);
    const { random } = schedule;
    const committed: Event[] = [];

    function startOwner(): { outbox: Outbox; write(): Promise<void> } {
      const db = open();
      const { outboxOn, commit } = outboxTestbed(db);
      const filterMissing: Parameters<typeof outboxOn>[1] = {
        filterMissing: async (events) => {
          await schedule.step("asks what is missing");
          return events.map(({ id }) => id).filter((id) => !received.includes(id));
        },
      };
      const outbox = outboxOn(bus, filterMissing);
      async function write() {
        const caller = { accountId: newId("acc", random), environment: "sandbox" as const };
        const event = newEvent({ type: "thing.created", caller, data: "{}", now: new Date(0), random });
        await commit(outbox, event);
        committed.push(event);
        outbox.committed(event);
      }
      return { outbox, write };
    }

    async function play() {
      const owners = ["owner 1", "owner 2"].map((name) => ({ name, ...startOwner() }));
      const works = owners.flatMap(({ name, outbox, write }) => [
        ...Array.from({ length: 1 + schedule.choose(3) }, (_, at) => schedule.run(name, `write ${at}`, write)),
        schedule.run(name, "relay", async () => {
          for (let round = schedule.choose(4); round > 0; round--) {
            await outbox.relayOnce();
            await sleep(LEASE_MS);
          }
        }),
        schedule.run(name, "reconcile", async () => {
          for (let round = schedule.choose(3); round > 0; round--) {
            await sleep(RECONCILE_MS);
            await outbox.reconcileOnce();
          }
        }),
      ]);
      const chaos = schedule.run("chaos", "kills", async () => {
        for (let pause = schedule.choose(20); pause > 0; pause--) await schedule.step("waits");
        state.isDown = schedule.choose(3) === 0;
        if (schedule.choose(2) === 0) schedule.kill("owner 2");
      });
      await Promise.all([...works, chaos]);
      Object.assign(state, { isGood: true, isDown: false });
      schedule.calmDown();
      await Promise.all(owners.map(({ name, outbox }) => schedule.run(name, "stop", () => outbox.stop())));
      await schedule.run("owner 3", "relays", async () => {
        const { outbox } = startOwner();
        do {
          await sleep(RECONCILE_MS);
          while ((await outbox.relayOnce()) > 0);
          await outbox.reconcileOnce();
        } while ((await outboxTestbed(open()).rows()).length > 0);
        await outbox.stop();
      });
    }

    async function check() {
      for (const { id } of committed) expect(received.filter((each) => each === id)).toHaveLength(1);
      // An event whose owner was killed before it learned of its commit is published, too.
      for (const id of received) expect(received.filter((each) => each === id)).toHaveLength(1);
      for (const id of lost) expect(received).toContain(id);
      expect(received.length).toBeGreaterThanOrEqual(committed.length);
    }

    return { play, check };
  });
});
