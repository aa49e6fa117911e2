import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import sql from "sql-template-tag";
import type { Caller, Claim } from "../caller.js";
import { newId } from "../ids.js";
import { violated } from "../postgres/database.js";
import { openTransaction, type TestDatabase, testDatabase } from "../testing/database.js";
import { lockWaits } from "../testing/locks.js";
import { createLedger, executedNow, keyOfWrite, type Ledger, type LedgerCodec } from "./ledger.js";

let database: TestDatabase;
let ledger: Ledger;
beforeAll(async () => {
  database = await testDatabase({ directory: join(import.meta.dirname, "../testing/fixtures/prisma") });
  ledger = createLedger(database.db);
});
afterAll(() => database.drop());

const newCaller = (): Caller => ({ accountId: newId("acc", randomBytes), environment: "sandbox" });
const fingerprintOf = (content: string) => createHash("sha256").update(content).digest();
const claimWith = (token: bigint, content = "request", idempotencyKey = "k"): Claim => ({
  idempotencyKey,
  token,
  fingerprint: fingerprintOf(content),
});
const clientOf = (served: Ledger) =>
  createClient(
    LedgerService,
    createRouterTransport((router) => served.routes(router)),
  );

/** Creates a thing with this name under the claim. The answer is its name. */
async function createThing(caller: Caller, claim: Claim, name: string, through = ledger): Promise<WriteOutcome> {
  const snapshot = { status: 201, body: Buffer.from(JSON.stringify({ name })) };
  const write = { caller, claim, snapshot };
  const statement = sql`
    WITH ${through.claim([write])},
    created AS (INSERT INTO things (name, status) SELECT ${name}, 'new' FROM claim)
    SELECT ordinal FROM claim`;
  const [outcome] = await through.executeCreations([write], statement);
  return outcome!;
}

/** Creates several in one statement. */
async function createThings(writes: { caller: Caller; claim: Claim; name: string }[]): Promise<WriteOutcome[]> {
  const creations = writes.map((write) => ({ ...write, snapshot: { status: 201, body: Buffer.from(write.name) } }));
  const statement = sql`
    WITH ${ledger.claim(creations)},
    created AS (
      INSERT INTO things (name, status)
      SELECT name, 'new' FROM claim JOIN unnest(${writes.map(({ name }) => name)}::text[])
        WITH ORDINALITY AS given (name, ordinal) USING (ordinal)
      ORDER BY name)
    SELECT ordinal FROM claim`;
  return Promise.all(await ledger.executeCreations(creations, statement));
}

/** Moves a thing from one status to another, if it has the first. */
async function changeThing(caller: Caller, claim: Claim, name: string, from: string, to: string) {
  const snapshot = { status: 200, body: Buffer.from(JSON.stringify({ name, status: to })) };
  const write = { caller, claim, snapshot };
  const statement = sql`
    WITH target AS (SELECT FROM things WHERE name = ${name} AND status = ${from} FOR UPDATE),
    ${ledger.claim([write], sql`WHERE EXISTS (SELECT FROM target)`)},
    changed AS (UPDATE things SET status = ${to} WHERE name = ${name} AND EXISTS (SELECT FROM claim))
    SELECT ordinal FROM claim`;
  const [outcome] = await ledger.execute([write], statement);
  return outcome;
}

const describeOutcome = ({ outcome }: WriteOutcome) =>
  outcome.case === "snapshot"
    ? `${outcome.value.replayed ? "replayed" : "executed"} ${Buffer.from(outcome.value.body)}`
    : outcome.case;

describe("a creation", () => {
  test("executes under a free key; an equal request is replayed, another request is a conflict", async () => {
    const caller = newCaller();
    const name = newId("t", randomBytes);
    expect(describeOutcome(await createThing(caller, claimWith(1n), name))).toBe(`executed {"name":"${name}"}`);
    expect(describeOutcome(await createThing(caller, claimWith(2n), "other"))).toBe(`replayed {"name":"${name}"}`);
    const conflict = await createThing(caller, claimWith(3n, "changed"), "other");
    expect(conflict.outcome).toMatchObject({ case: "conflict", value: { fingerprint: fingerprintOf("request") } });
    expect(executedNow(conflict)).toBe(false);
  });

  test("that fails leaves the key free", async () => {
    const caller = newCaller();
    const name = newId("t", randomBytes);
    await createThing(newCaller(), claimWith(1n), name);
    const error = await createThing(caller, claimWith(1n), name).catch((caught) => caught);
    expect(violated(error)).toEqual({ code: "23505", constraint: "things_pkey" });
    expect(executedNow(await createThing(caller, claimWith(1n), newId("t", randomBytes)))).toBe(true);
  });
});

describe("creations in one statement", () => {
  test("each have their own outcome, and only the executed ones leave rows", async () => {
    const [a, b, c, d] = [newCaller(), newCaller(), newCaller(), newCaller()];
    await createThing(a, claimWith(1n), newId("t", randomBytes));
    await createThing(b, claimWith(1n, "another"), newId("t", randomBytes));
    await clientOf(ledger).resolve({ caller: { ...c }, idempotencyKey: "k", token: 9n });
    const names = [a, b, c, d].map(() => newId("t", randomBytes));
    const outcomes = await createThings(
      [d, c, b, a].map((caller, at) => ({ caller, claim: claimWith(2n), name: names[at]! })),
    );
    expect(outcomes.map(({ outcome }) => outcome.case)).toEqual(["snapshot", "stale", "conflict", "snapshot"]);
    expect(outcomes.map(executedNow)).toEqual([true, false, false, false]);
    const made = await database.db.run<{ name: string }>(sql`SELECT name FROM things WHERE name = ANY(${names})`);
    expect(made).toEqual([{ name: names[0] }]);
  });

  test("of the same keys in opposite order do not wait for each other", async () => {
    const caller = newCaller();
    const write = (key: string) => ({ caller, claim: claimWith(1n, "request", key), name: newId("t", randomBytes) });
    const other = await openTransaction(database.db);
    await other.query(
      "INSERT INTO ledger (account_id, environment, idempotency_key, token, kind) VALUES ($1, $2, 'a', 1, 'tombstone')",
      [caller.accountId, caller.environment],
    );
    // This write waits for the key `a` and holds no other key meanwhile.
    expect(new Set(["c", "a", "b", "c"].map((key) => keyOfWrite(write(key)))).size).toBe(3);
    const first = createThings(["c", "a", "b"].map(write));
    await lockWaits(database.db);
    const second = await createThings(["b", "c"].map(write)).finally(() => other.query("ROLLBACK"));
    other.release();
    expect([second, await first].map((outcomes) => outcomes.map(executedNow))).toEqual([
      [true, true],
      [false, true, false],
    ]);
  });
});

describe("a change of state", () => {
  test("executes on the state that was read, and reserves no key when that has changed", async () => {
    const caller = newCaller();
    const name = newId("t", randomBytes);
    await createThing(caller, claimWith(1n, "create", "create"), name);
    expect(await changeThing(caller, claimWith(2n), name, "old", "done")).toBeUndefined();
    const { committed } = await clientOf(ledger).resolve({ caller: { ...caller }, idempotencyKey: "probe", token: 9n });
    expect(committed).toBeUndefined();
    expect(describeOutcome((await changeThing(caller, claimWith(2n), name, "new", "done"))!)).toMatch(/^executed/);
    expect(describeOutcome((await changeThing(caller, claimWith(2n), name, "new", "done"))!)).toMatch(/^replayed/);
  });
});

describe("Resolve", () => {
  test("says committed, with the result, when the claim was executed", async () => {
    const caller = newCaller();
    const name = newId("t", randomBytes);
    await createThing(caller, claimWith(5n), name);
    const { committed } = await clientOf(ledger).resolve({ caller: { ...caller }, idempotencyKey: "k", token: 5n });
    expect(Buffer.from(committed?.snapshot?.body ?? "").toString()).toBe(`{"name":"${name}"}`);
    expect(committed?.fingerprint).toEqual(new Uint8Array(fingerprintOf("request")));
  });

  test("fences off the claim and all earlier ones, but no later one", async () => {
    const caller = newCaller();
    const resolve = (token: bigint) => clientOf(ledger).resolve({ caller: { ...caller }, idempotencyKey: "k", token });
    expect((await resolve(7n)).committed).toBeUndefined();
    expect((await resolve(3n)).committed).toBeUndefined();
    expect(describeOutcome(await createThing(caller, claimWith(6n), "never"))).toBe("stale");
    expect(describeOutcome(await createThing(caller, claimWith(7n), "never"))).toBe("stale");
    expect(describeOutcome(await createThing(caller, claimWith(8n), newId("t", randomBytes)))).toMatch(/^executed/);
  });

  test("waits for an execution under way instead of guessing its end", async () => {
    const caller = newCaller();
    const name = newId("t", randomBytes);
    const holder = await openTransaction(database.db);
    await holder.query("INSERT INTO things VALUES ($1, 'held')", [name]);
    const execution = createThing(caller, claimWith(1n), name).catch((error) => violated(error)?.code);
    await lockWaits(database.db);
    const resolving = clientOf(ledger).resolve({ caller: { ...caller }, idempotencyKey: "k", token: 1n });
    await lockWaits(database.db, 2);
    await holder.query("ROLLBACK");
    holder.release();
    expect(executedNow((await execution) as WriteOutcome)).toBe(true);
    expect((await resolving).committed).toBeDefined();
  });
});

describe("Read", () => {
  test("finds results only, and only the caller's", async () => {
    const caller = newCaller();
    const client = clientOf(ledger);
    await client.resolve({ caller: { ...caller }, idempotencyKey: "tomb", token: 1n });
    await createThing(caller, claimWith(2n), newId("t", randomBytes));
    expect((await client.read({ caller: { ...caller }, idempotencyKey: "tomb" })).result).toBeUndefined();
    expect((await client.read({ caller: { ...newCaller() }, idempotencyKey: "k" })).result).toBeUndefined();
    expect((await client.read({ caller: { ...caller }, idempotencyKey: "k" })).result?.snapshot?.status).toBe(201);
  });
});

describe("with a codec", () => {
  test("bodies are stored sealed and come back as they were", async () => {
    const turn = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);
    const codec: LedgerCodec = { seal: turn, open: turn };
    const sealing = createLedger(database.db, codec);
    const caller = newCaller();
    const name = newId("t", randomBytes);
    await createThing(caller, claimWith(1n), name, sealing);
    const [row] = await database.db.run<{ body: Buffer }>(
      sql`SELECT body FROM ledger WHERE account_id = ${caller.accountId}`,
    );
    expect(row?.body.toString("latin1")).not.toContain(name);
    const again = await createThing(caller, claimWith(1n), name, sealing);
    expect(describeOutcome(again)).toBe(`replayed {"name":"${name}"}`);
  });
});
