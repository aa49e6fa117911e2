import { openTransaction } from "@shipping/kit/testing/database";
import { runs } from "@shipping/kit/testing/runs";
import { newCaller } from "@shipping/kit/testing/writes";
import fc from "fast-check";
import sql from "sql-template-tag";
import { waitingForLocks } from "../testing/stored-deliveries.js";
import { subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";

const webhooks = webhooksUnderTest(beforeEach, afterEach);
let subscriptions: string[];
beforeEach(async () => {
  const deps = webhooks.replica();
  const made = ["a", "b", "c"].map((name) => subscribe(deps, newCaller(), `https://shop.example.com/${name}`));
  subscriptions = (await Promise.all(made)).map(({ id }) => id).sort();
});

type State = "pending" | "in_flight" | "delivered" | "exhausted" | "cancelled";

interface Delivery {
  subscription: string;
  event: string;
  state: State;
  /** The due time in minutes; only a pending delivery has one. */
  next: number | null;
}

interface Row {
  next: number | null;
  inFlight: number;
  streak: number;
}

/** The states that a delivery may change to: it is claimed or cancelled, or its attempt ends. */
const TURNS: Record<State, readonly State[]> = {
  pending: ["in_flight", "cancelled", "pending"],
  in_flight: ["delivered", "exhausted", "pending"],
  delivered: [],
  exhausted: [],
  cancelled: [],
};

/** Computes the row of the queue after a statement, from all deliveries of its subscription and those that the statement changed. */
function rowAfter(row: Row, all: readonly Delivery[], changed: readonly [before: State, after: State][]): Row {
  const pending = all.flatMap(({ state, next }) => (state === "pending" && next !== null ? [next] : []));
  const ended = changed.filter(([before]) => before === "in_flight").length;
  return {
    next: pending.length > 0 ? Math.min(...pending) : null,
    inFlight: all.filter(({ state }) => state === "in_flight").length,
    streak: changed.some(([, after]) => after === "delivered") ? 0 : row.streak + ended,
  };
}

const columns = (deliveries: readonly Delivery[]) => sql`unnest(
  ${deliveries.map(({ subscription }) => subscription)}::text[], ${deliveries.map(({ event }) => event)}::text[],
  ${deliveries.map(({ state }) => state)}::text[], ${deliveries.map(({ next }) => next)}::integer[]
) AS given (subscription_id, event_id, state, next)`;

const values = sql`
  timestamptz '2026-01-01 00:00Z' + given.next * interval '1 minute',
  CASE given.state WHEN 'in_flight' THEN now() END, CASE given.state WHEN 'in_flight' THEN gen_random_uuid() END`;

const insert = (deliveries: readonly Delivery[]) =>
  webhooks.db.run(sql`
    INSERT INTO deliveries (account_id, subscription_id, event_id, state, attempt, next_at, lease_until, claim_id)
    SELECT 'acc_1', given.subscription_id, given.event_id, given.state, 0, ${values} FROM ${columns(deliveries)}`);

const update = (deliveries: readonly Delivery[]) =>
  webhooks.db.run(sql`
    UPDATE deliveries AS d SET state = given.state, (next_at, lease_until, claim_id) = (SELECT ${values})
    FROM ${columns(deliveries)} WHERE d.event_id = given.event_id AND d.subscription_id = given.subscription_id`);

async function storedRows(): Promise<Row[]> {
  return webhooks.db.run<Row>(sql`
    SELECT (extract(epoch FROM next_due - '2026-01-01 00:00Z') / 60)::integer AS next, in_flight AS "inFlight", fail_streak AS streak
    FROM ready_queue ORDER BY subscription_id`);
}

const statement: fc.Arbitrary<Statement> = fc.record({
  inserts: fc.boolean(),
  rows: fc.array(fc.record({ which: fc.nat(), to: fc.nat(), next: fc.integer({ min: 0, max: 500 }) }), {
    maxLength: 6,
  }),
});

interface Statement {
  inserts: boolean;
  rows: { which: number; to: number; next: number }[];
}

/** Generates the deliveries that a statement writes, each once. */
function writtenBy({ inserts, rows }: Statement, all: readonly Delivery[], turn: number): Delivery[] {
  const open = all.filter(({ state }) => TURNS[state].length > 0);
  const written = new Map<string, Delivery>();
  for (const [at, { which, to, next }] of rows.entries()) {
    const old = inserts ? undefined : open[which % open.length];
    if (!inserts && !old) continue;
    const states = old ? TURNS[old.state] : (["pending", "in_flight"] as const);
    const state = states[to % states.length]!;
    const subscription = old?.subscription ?? subscriptions[which % subscriptions.length]!;
    const event = old?.event ?? `evt_${turn}_${at}`;
    written.set(event, { subscription, event, state, next: state === "pending" ? next : null });
  }
  return [...written.values()];
}

test("after any statement, each row follows the rule", async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(statement, { minLength: 1, maxLength: 12 }), async (statements) => {
        let all: Delivery[] = [];
        let rows: Row[] = subscriptions.map(() => ({ next: null, inFlight: 0, streak: 0 }));
        for (const [turn, given] of statements.entries()) {
          const written = writtenBy(given, all, turn);
          const before = new Map(all.map((one) => [one.event, one.state]));
          await (given.inserts ? insert(written) : update(written));
          all = [...new Map([...all, ...written].map((one) => [one.event, one])).values()];
          rows = rows.map((row, at) => {
            const own = (one: Delivery) => one.subscription === subscriptions[at];
            const changed = given.inserts ? [] : written.filter(own);
            return rowAfter(
              row,
              all.filter(own),
              changed.map(({ event, state }) => [before.get(event)!, state]),
            );
          });
          expect(await storedRows()).toEqual(rows);
        }
      })
      .beforeEach(async () => {
        await webhooks.db.run(sql`TRUNCATE deliveries`);
        await webhooks.db.run(sql`UPDATE ready_queue SET next_due = NULL, in_flight = 0, fail_streak = 0`);
      }),
    { numRuns: runs(20) },
  );
});

const claim = (event: string) =>
  `UPDATE deliveries SET state = 'in_flight', next_at = NULL, lease_until = now(), claim_id = gen_random_uuid() WHERE event_id = '${event}'`;

test("of two concurrent statements, the second looks for the next due delivery after the first has committed", async () => {
  const [subscription = ""] = subscriptions;
  const pending = (event: string, next: number): Delivery => ({ subscription, event, state: "pending", next });
  await insert([pending("evt_1", 1), pending("evt_2", 2)]);
  const first = await openTransaction(webhooks.db);
  await first.query(claim("evt_1"));
  const second = webhooks.db.pool.query(claim("evt_2"));
  await waitingForLocks(webhooks.db, 1);
  await first.query("COMMIT");
  first.release();
  await second;
  expect((await storedRows())[0]).toEqual({ next: null, inFlight: 2, streak: 0 });
});
