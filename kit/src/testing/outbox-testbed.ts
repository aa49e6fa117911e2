import { randomBytes } from "node:crypto";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql from "sql-template-tag";
import { type Bus, BusOutage } from "../events/bus.js";
import { newId } from "../ids.js";
import { createOutbox, newEvent, type Outbox, type OutboxOptions } from "../ledger/outbox.js";
import type { Database } from "../postgres/database.js";
import { silentLog } from "../process/log.js";

/** A bus that can be down, and that records the message IDs that it has accepted. */
export function testBus() {
  const bus = {
    down: false,
    refusing: false,
    out: false,
    tries: 0,
    taken: [] as string[],
    publish: async (_event: Event, messageId?: string) => {
      bus.tries++;
      if (bus.out) throw new BusOutage("no quorum");
      if (bus.down || bus.refusing) throw new Error("no responders");
      bus.taken.push(messageId ?? "");
    },
    connected: () => !bus.down,
    close: async () => {},
  };
  return bus satisfies Bus & Record<string, unknown>;
}

/** Creates an event as an owner would commit it. */
export const thingCreated = () =>
  newEvent({
    type: "thing.created",
    caller: { accountId: newId("acc", randomBytes), environment: "sandbox" },
    data: '{"id":"t_1"}',
    now: new Date("2026-11-21T10:00:00.000Z"),
    random: randomBytes,
  });

/** The outbox of the fixtures' database, for one process at a time. */
export function outboxTestbed(db: Database) {
  const outboxOn = (bus: Bus, extra: Partial<OutboxOptions> = {}) =>
    createOutbox({ db, bus, log: silentLog(), filterMissing: async () => [], ...extra });

  const commit = (outbox: Outbox, stored: Event) =>
    db.run(sql`
      WITH claim (ordinal, account_id, environment) AS (VALUES (1::bigint, ${stored.accountId}, ${stored.environment})),
      stored AS (${outbox.insert([stored])})
      SELECT FROM claim`);

  /** Commits an event and publishes it, like the process that created it. */
  async function commitAndPublish(bus: Bus, stored: Event): Promise<void> {
    const outbox = outboxOn(bus);
    await commit(outbox, stored);
    outbox.committed(stored);
    await outbox.stop();
  }

  const rows = () =>
    db.run<{ event_id: string; published: boolean; publications: number }>(
      sql`SELECT event_id, published_at IS NOT NULL AS published, publications FROM outbox ORDER BY id`,
    );

  return { outboxOn, commit, commitAndPublish, rows };
}
