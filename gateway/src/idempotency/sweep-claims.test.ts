import { openTransaction } from "@shipping/kit/testing/database";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { fingerprintOf, idempotencyUnderTest, lost } from "../testing/idempotency-under-test.js";
import { sweepClaims } from "./sweep-claims.js";

const under = forAllTests(idempotencyUnderTest);
beforeEach(async () => {
  await under.gateway.db.pool.query("DELETE FROM idempotency_registry");
  under.owners.records.asked.length = 0;
});

/** A claim that its gateway has abandoned. Its owner may have executed it. */
async function abandoned(content: string, options: { executed: boolean; owner?: "records" | "carrier" }) {
  const { owner = "records", executed } = options;
  const { claim } = await under.claimed(content, { owner });
  if (executed) await under.owners[owner].write(claim.caller, claim, content);
  return claim;
}

/** Sweeps with the clock moved forward by this many seconds. */
const sweepIn = (seconds: number, gateway = under.gateway) =>
  sweepClaims({ ...gateway, clockOffsetMs: seconds * 1_000 });

test("a claim whose lease ended over a minute ago becomes done if it was executed", async () => {
  const claim = await abandoned("A", { executed: true });
  expect(await sweepIn(65)).toEqual({ done: 1, deleted: 0, left: 0 });
  expect(await under.row(claim)).toMatchObject({ state: "done", token: claim.token, fingerprint: fingerprintOf("A") });
});

test("and is deleted if not, after its owner has fenced it off", async () => {
  const claim = await abandoned("A", { executed: false });
  expect(await sweepIn(65)).toEqual({ done: 0, deleted: 1, left: 0 });
  expect(await under.row(claim)).toBeUndefined();
  const late = await under.owners.records.write(claim.caller, claim, "A");
  expect(late.outcome.case).toBe("stale");
});

test("a claim whose lease is live or ended less than a minute ago is left alone", async () => {
  const claim = await abandoned("A", { executed: false });
  expect(await sweepIn(0)).toEqual({ done: 0, deleted: 0, left: 0 });
  expect(await sweepIn(60)).toEqual({ done: 0, deleted: 0, left: 0 });
  expect(await under.row(claim)).toMatchObject({ state: "claimed" });
});

test("the claims of an owner that is down are tried again a minute later, the others are settled", async () => {
  const claim = await abandoned("A", { executed: true });
  await abandoned("B", { executed: true, owner: "carrier" });
  under.owners.records.failWith(lost());
  expect(await sweepIn(65)).toEqual({ done: 1, deleted: 0, left: 1 });
  under.owners.records.failWith(undefined);
  expect(await sweepIn(66)).toEqual({ done: 0, deleted: 0, left: 0 });
  expect(await sweepIn(130)).toEqual({ done: 1, deleted: 0, left: 0 });
  expect(await under.row(claim)).toMatchObject({ state: "done" });
});

test("a claim whose row is locked is skipped without waiting", async () => {
  const locked = await abandoned("A", { executed: true });
  await abandoned("B", { executed: true });
  const other = await openTransaction(under.gateway.db);
  await other.query("SELECT FROM idempotency_registry WHERE account_id = $1 FOR UPDATE", [locked.caller.accountId]);
  expect(await sweepIn(65)).toEqual({ done: 1, deleted: 0, left: 0 });
  await other.query("ROLLBACK");
  other.release();
});

test("two sweepers at once share the work", async () => {
  await Promise.all(Array.from({ length: 150 }, (_, number) => abandoned(`${number}`, { executed: true })));
  const [one, two] = await Promise.all([sweepIn(65), sweepIn(65, under.otherGateway)]);
  // On a busy machine, some answers of the owner come too late.
  expect(one.done + one.left + two.done + two.left).toBe(150);
  expect(under.owners.records.asked).toHaveLength(150);
});

test("marks that are still queued when the gateway stops are written first", async () => {
  const claims = await Promise.all([1, 2, 3].map((number) => abandoned(`${number}`, { executed: true })));
  for (const claim of claims) under.gateway.idempotency.marks.mark(claim);
  await under.gateway.idempotency.stop();
  for (const claim of claims) expect(await under.row(claim)).toMatchObject({ state: "done" });
});
