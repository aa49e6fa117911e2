import { EventEmitter, once } from "node:events";
import { type Failure, fail } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import sql from "sql-template-tag";
import type { OnceRequest } from "./execute-once.js";
import { claimKey, type RegistryKey } from "./registry.js";
import { created, fingerprintOf, idempotencyUnderTest, lost, replayed } from "./testing/idempotency-under-test.js";

let under: Awaited<ReturnType<typeof idempotencyUnderTest>>;
beforeAll(async () => {
  under = await idempotencyUnderTest();
});
afterAll(() => under.end());
afterEach(() => {
  under.owners.records.failWith(undefined);
  under.owners.records.asked.length = 0;
});

/** A request whose sending goes no further until it is let go, or fails. */
function held(request: OnceRequest<string>) {
  const events = new EventEmitter();
  const reached = once(events, "reached");
  const send: typeof request.send = async (...args) => {
    const released = once(events, "release");
    events.emit("reached");
    await released;
    return request.send(...args);
  };
  return {
    request: { ...request, send },
    reached,
    release: () => events.emit("release"),
    fail: (failure: Failure) => events.emit("error", failure),
  };
}

/** Has the registry say that the claim's lease is over, as it will be in a few seconds. */
const endLease = ({ caller }: RegistryKey) =>
  under.gateway.db.run(sql`UPDATE idempotency_registry SET lease_until = now() WHERE account_id = ${caller.accountId}`);

/** Resolves when somebody waits: a poller's first question is the ledger's `Read`. */
const polling = () => eventually(() => expect(under.owners.records.asked).toEqual(["Read"]));

/** Resolves when nobody asks the registry: all who have come are waiting. */
const registryAtRest = () =>
  eventually(() => {
    const { totalCount, idleCount, waitingCount } = under.gateway.db.pool;
    expect(totalCount - idleCount + waitingCount).toBe(0);
  });

test("of 100 equal requests at once over two gateways one creates and 99 replay", async () => {
  const request = under.request("A");
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, turn) => under.execute(request, turn % 2 ? under.gateway : under.otherGateway)),
  );
  expect(answers.filter((answer) => !answer.replayed)).toEqual([created("A")]);
  expect(answers.filter((answer) => answer.replayed)).toEqual(Array(99).fill(replayed("A")));
  expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
});

test("all who wait in a process are answered when the first one is, with one poller asking the owner once", async () => {
  const request = under.request("A");
  const first = held(request);
  const leader = under.execute(first.request);
  await first.reached;
  const followers = Array.from({ length: 20 }, () => under.execute(request));
  await polling();
  await registryAtRest();
  first.release();
  expect(await leader).toEqual(created("A"));
  expect(await Promise.all(followers)).toEqual(Array(20).fill(replayed("A")));
  expect(under.owners.records.asked).toEqual(["Read"]);
});

test("those who wait in another process are answered too", async () => {
  const first = held(under.request("A"));
  const leader = under.execute(first.request);
  await first.reached;
  const follower = under.execute(first.request, under.otherGateway);
  await polling();
  first.release();
  expect(await Promise.all([leader, follower])).toEqual([created("A"), replayed("A")]);
});

test("a gateway died between answer and mark: the owner is asked, nobody waits for the lease", async () => {
  const request = under.request("A");
  const token = await claimKey(under.gateway, request);
  await under.owners.records.write(request.caller, { ...request, token: token! }, "A");
  expect(await under.execute(request)).toEqual(replayed("A"));
  await eventually(async () => expect((await under.row(request))?.state).toBe("done"));
});

test("a gateway died before its request was sent: a waiter takes over once the lease is over", async () => {
  const request = under.request("A");
  await claimKey(under.gateway, request);
  const waiting = under.execute(request);
  await polling();
  await endLease(request);
  expect(await waiting).toEqual(created("A"));
  expect(await under.row(request)).toMatchObject({ attempts: 2 });
});

test("the first one fails: exactly one follower takes over, the others get its answer", async () => {
  const request = under.request("A");
  const send = jest.fn(request.send);
  const first = held(request);
  const leader = under.execute(first.request);
  await first.reached;
  const followers = Array.from({ length: 10 }, () => under.execute({ ...request, send }));
  await polling();
  first.fail(fail("not_found"));
  await expect(leader).rejects.toMatchObject({ code: "not_found" });
  const answers = await Promise.all(followers);
  expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  expect(send).toHaveBeenCalledTimes(1);
});

test("all of them fail: each is refused by an attempt of its own, one after the other, and the key is free", async () => {
  const request = under.request("A");
  let now = 0;
  const send = async () => {
    expect(++now).toBe(1);
    await Promise.resolve();
    now--;
    throw fail("not_found");
  };
  const answers = await Promise.allSettled(Array.from({ length: 20 }, () => under.execute({ ...request, send })));
  expect(answers).toEqual(Array(20).fill({ status: "rejected", reason: fail("not_found") }));
  expect(await under.row(request)).toBeUndefined();
});

test("the key goes to another request meanwhile, which succeeds: 409 idempotency_conflict", async () => {
  const request = under.request("A");
  await claimKey(under.gateway, request);
  const followers = [under.execute(request), under.execute(request)];
  await polling();
  await under.gateway.db.run(sql`
    UPDATE idempotency_registry
    SET fingerprint = ${fingerprintOf("B")}, token = nextval('idempotency_token'), state = 'done', lease_until = NULL
    WHERE account_id = ${request.caller.accountId}`);
  for (const answer of await Promise.allSettled(followers)) {
    expect(answer).toMatchObject({ status: "rejected", reason: { code: "idempotency_conflict" } });
  }
});

describe("another request under the key of one that is open waits as an equal one does, and then", () => {
  /** A is being sent, and B waits for it, in that process or in another. */
  async function openWith(b: Partial<OnceRequest<string>> = {}, gateway = under.gateway) {
    const request = under.request("A");
    const first = held(request);
    const leader = under.execute(first.request);
    await first.reached;
    const other = { ...under.request("B", { caller: request.caller }), ...b };
    const follower = under.execute(other, gateway);
    const settled = Promise.allSettled([leader, follower]);
    await polling();
    return { first, request, settled };
  }
  const refusedAs = (code: unknown) => ({ status: "rejected", reason: expect.objectContaining({ code }) });

  test.each([
    ["this process", () => under.gateway],
    ["another one", () => under.otherGateway],
  ])("409 idempotency_conflict once that has succeeded, in %s: nothing is sent", async (_, gateway) => {
    const send = jest.fn();
    const { first, request, settled } = await openWith({ send }, gateway());
    first.release();
    expect(await settled).toEqual([{ status: "fulfilled", value: created("A") }, refusedAs("idempotency_conflict")]);
    expect(send).not.toHaveBeenCalled();
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });

  test.each([
    ["this process", () => under.gateway],
    ["another one", () => under.otherGateway],
  ])("is executed once that has failed, in %s: a failure reserves nothing", async (_, gateway) => {
    const { first, settled } = await openWith({}, gateway());
    first.fail(fail("label_exists"));
    expect(await settled).toEqual([refusedAs("label_exists"), { status: "fulfilled", value: created("B") }]);
  });

  test("is executed where another service owns its path", async () => {
    const { first, request, settled } = await openWith({
      owner: "carrier",
      send: under.request("B", { owner: "carrier" }).send,
    });
    first.fail(fail("not_found"));
    expect((await settled)[1]).toEqual({ status: "fulfilled", value: created("B") });
    await under.marked(request);
    expect(await under.row(request)).toMatchObject({ owner: "carrier", fingerprint: fingerprintOf("B") });
  });

  test("leaves the key to those who wait behind it, if it is refused itself", async () => {
    const { first, request, settled } = await openWith({
      validate: () => {
        throw fail("invalid_request");
      },
    });
    const equal = under.execute(request);
    await registryAtRest();
    first.fail(fail("not_found"));
    // The poller may have woken the other one meanwhile, which then has the key.
    expect((await settled)[1]).toEqual(refusedAs(expect.stringMatching(/^(invalid_request|idempotency_conflict)$/)));
    expect(await equal).toEqual(created("A"));
  });

  test("takes the key over when the gateway of that one died", async () => {
    const request = under.request("A");
    await claimKey(under.gateway, request);
    const waiting = under.execute(under.request("B", { caller: request.caller }));
    await polling();
    await endLease(request);
    expect(await waiting).toEqual(created("B"));
  });

  test("409 idempotency_conflict when the gateway died between answer and mark: the owner knows", async () => {
    const request = under.request("A");
    const token = await claimKey(under.gateway, request);
    await under.owners.records.write(request.caller, { ...request, token: token! }, "A");
    const other = under.request("B", { caller: request.caller });
    await expect(under.execute(other)).rejects.toMatchObject({ code: "idempotency_conflict" });
    await eventually(async () => expect((await under.row(request))?.state).toBe("done"));
  });

  test("409 idempotency_in_progress when that takes too long", async () => {
    const request = under.request("A");
    await claimKey(under.gateway, request);
    const other = under.request("B", { caller: request.caller });
    await under.gateway.db.run(sql`
      UPDATE idempotency_registry SET lease_until = now() + interval '1 minute' WHERE account_id = ${request.caller.accountId}`);
    await expect(under.execute(other)).rejects.toMatchObject({ code: "idempotency_in_progress" });
  });
});

test("409 idempotency_in_progress when the wait has lasted long enough", async () => {
  const request = under.request("A");
  await claimKey(under.gateway, request);
  const row = await under.row(request);
  const wait = under.gateway.idempotency.waits.wait({ ...request, waitUntil: Date.now() + 50 }, row!);
  await expect(wait).rejects.toMatchObject({ code: "idempotency_in_progress" });
});

test("503 when the claim is done and its owner is down", async () => {
  const request = under.request("A");
  const token = await claimKey(under.gateway, request);
  under.owners.records.failWith(lost());
  const answer = under.execute(request);
  await polling();
  await under.gateway.db.run(
    sql`UPDATE idempotency_registry SET state = 'done', lease_until = NULL WHERE token = ${token}`,
  );
  await expect(answer).rejects.toMatchObject({ code: "service_unavailable" });
});
