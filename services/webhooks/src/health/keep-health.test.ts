import { openTransaction } from "@shipping/kit/testing/database";
import { newCaller } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { waitingForLocks } from "../testing/stored-deliveries.js";
import { subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { type CountedEnd, createHealthKeeper, sweepHoursOnce } from "./keep-health.js";

const webhooks = webhooksUnderTest(beforeAll, afterAll);

const NOON = Date.UTC(2026, 5, 1, 12);
const at = (minutes: number) => new Date(NOON + minutes * 60_000);

const newSubscription = async () =>
  (await subscribe(webhooks.replica(), newCaller(), "https://shop.example.com/hooks")).id;

/** Writes the results of a subscription's attempts, as one replica does at once. */
async function ended(subscriptionId: string, ...ends: (Partial<CountedEnd> & { at: Date })[]): Promise<void> {
  const keeper = createHealthKeeper(webhooks.db);
  for (const end of ends) keeper.count({ subscriptionId, delivered: false, exhausted: false, ...end });
  await keeper.flushOnce();
}

/** Counts one success of each subscription. */
function keeperOf(ids: readonly string[]) {
  const keeper = createHealthKeeper(webhooks.db);
  for (const subscriptionId of ids) keeper.count({ subscriptionId, at: at(0), delivered: true, exhausted: false });
  return keeper;
}

/** Deletes all other references to a new subscription, as its erasure does before. */
async function unqueue(id: string): Promise<void> {
  await webhooks.db.run(sql`DELETE FROM ready_queue WHERE subscription_id = ${id}`);
  await webhooks.db.run(sql`DELETE FROM subscription_changes WHERE subscription_id = ${id}`);
}

async function healthOf(id: string) {
  const [row] = await webhooks.db.run(sql`
    SELECT last_success_at AS "lastSuccessAt", last_failure_at AS "lastFailureAt", last_failure_reason AS reason,
      last_failure_status AS status, failing_since AS "failingSince"
    FROM subscription_health WHERE subscription_id = ${id}`);
  return row;
}

const hoursOf = (id: string) =>
  webhooks.db.run(sql`
    SELECT hour, delivered, failed, exhausted FROM subscription_hours
    WHERE subscription_id = ${id} ORDER BY hour`);

test("results are written as the last of each kind, and counted in their hours", async () => {
  const id = await newSubscription();
  await ended(
    id,
    { at: at(0), delivered: true },
    { at: at(59), status: 500 },
    { at: at(60), reason: "tls_expired", exhausted: true },
  );
  expect(await healthOf(id)).toEqual({
    lastSuccessAt: at(0),
    lastFailureAt: at(60),
    reason: "tls_expired",
    status: null,
    failingSince: at(59),
  });
  expect(await hoursOf(id)).toEqual([
    { hour: at(0), delivered: 1, failed: 1, exhausted: 0 },
    { hour: at(60), delivered: 0, failed: 1, exhausted: 1 },
  ]);
});

test("a failing period lasts until a success, and can begin again after it", async () => {
  const id = await newSubscription();
  await ended(id, { at: at(1), status: 500 });
  await ended(id, { at: at(2), status: 500 });
  expect(await healthOf(id)).toMatchObject({ failingSince: at(1) });
  await ended(id, { at: at(3), delivered: true });
  expect(await healthOf(id)).toMatchObject({ failingSince: null, lastSuccessAt: at(3), lastFailureAt: at(2) });
  await ended(id, { at: at(4), delivered: true }, { at: at(5), reason: "connection_refused" });
  expect(await healthOf(id)).toMatchObject({ failingSince: at(5), reason: "connection_refused", status: null });
});

test("an attempt that ended with its process is not a failure of the receiver, but counts if the delivery is exhausted", async () => {
  const id = await newSubscription();
  await ended(id, { at: at(0), reason: "interrupted" }, { at: at(1), reason: "lease_expired", exhausted: true });
  expect(await healthOf(id)).toMatchObject({ lastFailureAt: null, failingSince: null, reason: null });
  expect(await hoursOf(id)).toEqual([{ hour: at(0), delivered: 0, failed: 0, exhausted: 1 }]);
});

test("late writes of another replica do not hide newer results", async () => {
  const id = await newSubscription();
  await ended(id, { at: at(10), status: 500 });
  await ended(id, { at: at(9), delivered: true });
  expect(await healthOf(id)).toMatchObject({ failingSince: at(10), lastSuccessAt: at(9) });
  await ended(id, { at: at(20), delivered: true });
  await ended(id, { at: at(15), status: 404 });
  expect(await healthOf(id)).toMatchObject({ failingSince: null, lastSuccessAt: at(20), lastFailureAt: at(15) });
  await ended(id, { at: at(14), status: 410 });
  expect(await healthOf(id)).toMatchObject({ status: 404, lastFailureAt: at(15) });
});

test("a success that is written late, in the middle of a failing period, shortens it", async () => {
  const id = await newSubscription();
  await ended(id, { at: at(1), status: 500 }, { at: at(5), status: 500 });
  await ended(id, { at: at(3), delivered: true });
  expect(await healthOf(id)).toMatchObject({ failingSince: at(5) });
});

test("results are neither lost nor counted twice when many replicas write the same subscriptions at once", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, newSubscription));
  const keepers = Array.from({ length: 8 }, () => createHealthKeeper(webhooks.db));
  for (let round = 0; round < 10; round++) {
    for (const [n, keeper] of keepers.entries()) {
      const order = n % 2 ? [...ids].reverse() : ids;
      for (const subscriptionId of order) {
        keeper.count({ subscriptionId, at: at(round), delivered: true, exhausted: false });
        keeper.count({ subscriptionId, at: at(round), delivered: false, exhausted: false, status: 500 });
      }
    }
    await Promise.all(keepers.map((keeper) => keeper.flushOnce()));
  }
  const counts = await Promise.all(ids.map(hoursOf));
  expect(counts).toEqual(ids.map(() => [{ hour: at(0), delivered: 80, failed: 80, exhausted: 0 }]));
});

test("while the database is unreachable, no result is lost, for a minute of flushes", async () => {
  const id = await newSubscription();
  let isAway = true;
  const run: typeof webhooks.db.run = async (statement) => {
    if (isAway) throw new Error("the database is away");
    return webhooks.db.run(statement);
  };
  const keeper = createHealthKeeper({ run });
  const second = async () => {
    keeper.count({ subscriptionId: id, at: at(0), delivered: true, exhausted: false });
    await keeper.flushOnce();
  };
  for (let n = 0; n < 70; n++) await expect(second()).rejects.toThrow("away");
  isAway = false;
  await keeper.flushOnce();
  expect(await hoursOf(id)).toMatchObject([{ delivered: 60 }]);
  expect(await keeper.flushOnce()).toBe(0);
});

test.each([
  ["that is erased", (id: string) => sql`DELETE FROM subscriptions WHERE id = ${id}`],
  [
    "of an account that is being erased",
    (id: string) => sql`
      INSERT INTO held_accounts (account_id, since, erased_at) SELECT account_id, now(), now() FROM subscriptions WHERE id = ${id}`,
  ],
])("a subscription %s is left out, without an effect on others", async (_what, erase) => {
  const [id, other] = [await newSubscription(), await newSubscription()];
  const keeper = keeperOf([id, other]);
  await unqueue(id);
  await webhooks.db.run(erase(id));
  await keeper.flushOnce();
  expect([await healthOf(id), await hoursOf(id)]).toEqual([undefined, []]);
  expect(await healthOf(other)).toMatchObject({ lastSuccessAt: at(0) });
  expect(await hoursOf(other)).toMatchObject([{ delivered: 1 }]);
});

test("a subscription that is erased while its tally is written does not affect others", async () => {
  const [id, other] = [await newSubscription(), await newSubscription()];
  const keeper = keeperOf([id, other]);
  await unqueue(id);
  const erasing = await openTransaction(webhooks.db);
  await erasing.query("DELETE FROM subscriptions WHERE id = $1", [id]);
  const flushing = keeper.flushOnce().catch((error: unknown) => error);
  await waitingForLocks(webhooks.db, 1);
  await erasing.query("COMMIT");
  erasing.release();
  await flushing;
  await keeper.flushOnce();
  expect([await healthOf(id), await hoursOf(id)]).toEqual([undefined, []]);
  expect(await hoursOf(other)).toMatchObject([{ delivered: 1 }]);
});

test("hours are deleted after 30 days, however many there are, by several replicas at once", async () => {
  const id = await newSubscription();
  const now = new Date();
  await webhooks.db.run(sql`
    INSERT INTO subscription_hours (hour, subscription_id, account_id, delivered)
    SELECT ${now}::timestamptz - n * interval '1 hour', 'whk_' || m, 'acc_1', 1 FROM generate_series(715, 735) AS n, generate_series(1, 1000) AS m`);
  await ended(id, { at: now, delivered: true });
  const before = await webhooks.db.run<{ n: number }>(sql`SELECT count(*)::integer AS n FROM subscription_hours`);
  const deps = webhooks.replica();
  const gone = await Promise.all([sweepHoursOnce(deps), sweepHoursOnce(deps), sweepHoursOnce(deps)]);
  expect(
    await webhooks.db.run(sql`SELECT FROM subscription_hours WHERE hour < ${now}::timestamptz - interval '721 hours'`),
  ).toEqual([]);
  const after = await webhooks.db.run<{ n: number }>(sql`SELECT count(*)::integer AS n FROM subscription_hours`);
  expect(gone.reduce((sum, n) => sum + n)).toBe(before[0]!.n - after[0]!.n);
  expect(after[0]!.n).toBeGreaterThanOrEqual(6_000);
});
