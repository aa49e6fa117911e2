import { fail } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import sql from "sql-template-tag";
import {
  created,
  fingerprintOf,
  idempotencyUnderTest,
  lost,
  paused,
  replayed,
} from "../testing/idempotency-under-test.js";
import { claimKey } from "./registry.js";
import { createClaimWaits } from "./wait-for-claim.js";

const under = forAllTests(idempotencyUnderTest);
afterEach(() => {
  under.owners.records.failWith(undefined);
  under.owners.records.asked.length = 0;
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
  const first = paused(request);
  const leader = under.execute(first.request);
  await first.reached;
  const followers = Array.from({ length: 20 }, () => under.execute(request));
  await under.polling();
  await under.registryAtRest();
  first.release();
  expect(await leader).toEqual(created("A"));
  expect(await Promise.all(followers)).toEqual(Array(20).fill(replayed("A")));
  expect(under.owners.records.asked).toEqual(["Read"]);
});

test("each waits for its own request: another key's answer, or another account's with the same key, is none", async () => {
  const one = under.request("A");
  const { caller, fingerprint } = one;
  const others = [
    under.request("B", { caller, idempotencyKey: "another key", fingerprint }),
    under.request("C", { fingerprint }),
  ];
  const leaders = [one, ...others].map((request) => paused(request));
  const leading = leaders.map(({ request }) => under.execute(request));
  await Promise.all(leaders.map(({ reached }) => reached));
  const followers = [one, ...others].map((request) => under.execute(request));
  await under.polling();
  await under.registryAtRest();
  for (const leader of leaders) leader.release();
  expect(await Promise.all(leading)).toEqual(["A", "B", "C"].map(created));
  expect(await Promise.all(followers)).toEqual(["A", "B", "C"].map(replayed));
});

test("all who wait in another process are answered too, with one question for the answer", async () => {
  const request = under.request("A");
  const first = paused(request);
  const leader = under.execute(first.request, under.otherGateway);
  await first.reached;
  under.owners.records.failWith(lost());
  const followers = Array.from({ length: 20 }, () => under.execute(request));
  await under.polling();
  under.owners.records.failWith(undefined);
  await under.registryAtRest();
  first.release();
  expect(await leader).toEqual(created("A"));
  expect(await Promise.all(followers)).toEqual(Array(20).fill(replayed("A")));
  expect(under.owners.records.asked).toEqual(["Read", "Read"]);
});

test("the owner is asked under the ID of the request that waits, and has two seconds", async () => {
  const { request } = await under.claimed("A");
  const row = await under.row(request);
  const records = { ...under.owners.records.client, read: jest.fn(under.owners.records.client.read) };
  const clients = { ledgers: { ...under.gateway.clients.ledgers, records } };
  const waits = createClaimWaits({ ...under.gateway, clients }, under.gateway.idempotency.marks);
  const waiting = waits.wait({ ...request, requestId: "req_waits", waitUntil: performance.now() + 50 }, row!);
  await expect(waiting).rejects.toMatchObject({ code: "idempotency_in_progress" });
  const options = { timeoutMs: 2_000, headers: { "x-request-id": "req_waits" } };
  expect(records.read.mock.calls.map(([, given]) => given)).toEqual([options]);
});

test("a gateway died between answer and mark: the owner is asked, without waiting for the lease", async () => {
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
  await under.polling();
  await under.endLease(request);
  expect(await waiting).toEqual(created("A"));
  expect(await under.row(request)).toMatchObject({ attempts: 2 });
});

test("the first one fails: exactly one follower takes over, the others get its answer", async () => {
  const request = under.request("A");
  const send = jest.fn(request.send);
  const first = paused(request);
  const leader = under.execute(first.request);
  await first.reached;
  const followers = Array.from({ length: 10 }, () => under.execute({ ...request, send }));
  await under.polling();
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
  await under.polling();
  await under.gateway.db.run(sql`
    UPDATE idempotency_registry
    SET fingerprint = ${fingerprintOf("B")}, token = nextval('idempotency_token'), state = 'done', lease_until = NULL
    WHERE account_id = ${request.caller.accountId}`);
  for (const answer of await Promise.allSettled(followers)) {
    expect(answer).toMatchObject({ status: "rejected", reason: { code: "idempotency_conflict" } });
  }
});

test("and all who wait hear of it at once, however many they are", async () => {
  const request = under.request("A");
  const token = await claimKey(under.gateway, request);
  const row = await under.row(request);
  const waitUntil = performance.now() + 30_000;
  const { waits } = under.gateway.idempotency;
  const followers = Array.from({ length: 100 }, () => waits.wait({ ...request, requestId: "req", waitUntil }, row!));
  await under.polling();
  await under.gateway.db.run(sql`
    UPDATE idempotency_registry SET fingerprint = ${fingerprintOf("B")}, state = 'done', lease_until = NULL
    WHERE token = ${token}`);
  expect(await Promise.all(followers)).toEqual(Array(100).fill(undefined));
});

test("503 when the claim is done and its owner is down", async () => {
  const request = under.request("A");
  const token = await claimKey(under.gateway, request);
  under.owners.records.failWith(lost());
  const answer = under.execute(request);
  await under.polling();
  await under.gateway.db.run(
    sql`UPDATE idempotency_registry SET state = 'done', lease_until = NULL WHERE token = ${token}`,
  );
  await expect(answer).rejects.toMatchObject({ code: "service_unavailable" });
});
