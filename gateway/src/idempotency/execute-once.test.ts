import { fail, toConnectError } from "@shipping/kit/errors";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { watched } from "@shipping/kit/testing/plans";
import { newCaller } from "@shipping/kit/testing/writes";
import {
  created,
  fingerprintOf,
  idempotencyUnderTest,
  invalid,
  later,
  lost,
  refusal,
  replayed,
} from "../testing/idempotency-under-test.js";

const under = forAllTests(idempotencyUnderTest);
afterEach(() => under.owners.records.failWith(undefined));

const never = () => {
  throw new Error("This must not be called.");
};

describe("peek: none", () => {
  test("claims, sends, answers, and marks the claim done", async () => {
    const request = under.request("A");
    expect(await under.execute(request)).toEqual(created("A"));
    await under.marked(request);
    expect(await under.row(request)).toMatchObject({ owner: "records", attempts: 1, fingerprint: fingerprintOf("A") });
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });

  test("what admit has read is not read again: a claim is the only statement before the answer, and a replay needs none", async () => {
    const { db, statements } = watched(under.gateway.db);
    const [gateway, request] = [{ ...under.gateway, db }, under.request("A")];
    expect(await under.execute(request, gateway)).toEqual(created("A"));
    await under.marked(request);
    expect(await under.execute({ ...request, peeked: await under.row(request) }, gateway)).toEqual(replayed("A"));
    expect(statements.map(({ text }) => text.trim().split(" ", 1))).toEqual([["INSERT"]]);
  });

  test("an invalid request does not reserve the key and is not sent", async () => {
    const request = under.request("A", { send: never });
    expect(await refusal(under.execute({ ...request, validate: invalid }))).toBe("invalid_request");
    expect(await under.row(request)).toBeUndefined();
    expect(await under.execute(under.request("B", { caller: request.caller }))).toEqual(created("B"));
  });

  test("sends with the claim's token, its request id and half a second less than is left", async () => {
    const send = jest.fn(under.request("A").send);
    await under.execute(under.request("A", { send, deadline: performance.now() + 3_000 }));
    const [claim, options] = send.mock.calls[0]!;
    expect(claim).toEqual({ idempotencyKey: "a key", token: expect.any(BigInt), fingerprint: fingerprintOf("A") });
    expect(options.headers).toEqual({ "x-request-id": "req_test" });
    expect(options.timeoutMs).toBeGreaterThan(1_000);
    expect(options.timeoutMs).toBeLessThanOrEqual(2_500);
  });

  test("503, the key stays free and the write is not sent when less than a second is left", async () => {
    const request = under.request("A", { send: never, deadline: performance.now() + 900 });
    expect(await refusal(under.execute(request))).toBe("service_unavailable");
    expect(await under.row(request)).toBeUndefined();
  });

  test("keys of the same name are another caller's and environment's own", async () => {
    const caller = newCaller();
    await under.execute(under.request("A", { caller }));
    expect(await under.execute(under.request("B", { caller: { ...caller, environment: "live" } }))).toEqual(
      created("B"),
    );
    expect(await under.execute(under.request("C"))).toEqual(created("C"));
  });
});

describe("peek: done", () => {
  test("same: the owner's result is replayed, whatever validation says by now", async () => {
    const first = await under.executed("A");
    const again = { ...first, validate: never, send: never };
    expect(await under.execute(again)).toEqual(replayed("A"));
    expect(await under.execute({ ...again, peeked: await under.row(first) }, under.otherGateway)).toEqual(
      replayed("A"),
    );
  });

  test("other: 409 idempotency_conflict before validation, at whichever owner", async () => {
    const first = await under.executed("A");
    const other = { caller: first.caller, validate: never, send: never };
    expect(await refusal(under.execute(under.request("B", other)))).toBe("idempotency_conflict");
    expect(await refusal(under.execute(under.request("C", { ...other, owner: "carrier" })))).toBe(
      "idempotency_conflict",
    );
  });

  test("503 while the owner is down, and the registry is untouched", async () => {
    const first = await under.executed("A");
    const row = await under.row(first);
    for (const error of [lost(), toConnectError(fail("service_unavailable"))]) {
      under.owners.records.failWith(error);
      expect(await refusal(under.execute(first))).toBe("service_unavailable");
      expect(await under.row(first)).toEqual(row);
    }
  });

  test("same, but the owner was restored from an older backup: a new claim with a higher token", async () => {
    const first = await under.executed("A");
    const before = await under.row(first);
    await under.owners.records.forget(first.caller);
    expect(await under.execute(first)).toEqual(created("A"));
    await under.marked(first);
    expect(Number((await under.row(first))?.token)).toBeGreaterThan(Number(before?.token));
    expect(await under.owners.records.executions(first.caller)).toHaveLength(1);
  });
});

describe("peek: claimed, lease live", () => {
  test("the row that admit saw is read again: the claim may be gone by now", async () => {
    const { request } = await under.claimed("A");
    const peeked = await under.row(request);
    await under.gateway.db.pool.query("DELETE FROM idempotency_registry WHERE account_id = $1", [
      request.caller.accountId,
    ]);
    expect(await under.execute(under.request("B", { caller: request.caller, peeked }))).toEqual(created("B"));
  });
});

describe("peek: claimed, lease over", () => {
  test("same: rejoins under the claim's own token", async () => {
    const { request, token } = await under.claimed("A");
    expect(await under.execute(request, later(under.gateway))).toEqual(created("A"));
    await under.marked(request);
    expect(await under.row(request)).toMatchObject({ token, attempts: 2 });
  });

  test("same, granted before the database's clock was set back by minutes: requests do not wait until it has caught up", async () => {
    const { request, token } = await under.claimed("A");
    const setBack = { ...under.gateway, clockOffsetMs: -300_000 };
    expect(await under.execute(request, setBack)).toEqual(created("A"));
    await under.marked(request);
    expect(await under.row(request)).toMatchObject({ token, attempts: 2 });
  });

  test("same, but it does not validate any more: the first one's result counts, not today's rules", async () => {
    const { request, claim } = await under.claimed("A");
    await under.owners.records.write(request.caller, claim, "A");
    expect(await under.execute({ ...request, validate: invalid }, later(under.gateway))).toEqual(replayed("A"));
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });

  test("other, and the first had committed: 409, and the claim is done", async () => {
    const { request, claim } = await under.claimed("A");
    await under.owners.records.write(request.caller, claim, "A");
    const other = under.request("B", { caller: request.caller, owner: "carrier", validate: never });
    expect(await refusal(under.execute(other, later(under.gateway)))).toBe("idempotency_conflict");
    expect(await under.row(request)).toMatchObject({ state: "done", fingerprint: fingerprintOf("A") });
  });

  test("other, and the first had not: takes over with a new token, and the first is fenced off", async () => {
    const { request, claim } = await under.claimed("A");
    const other = under.request("B", { caller: request.caller, owner: "carrier" });
    expect(await under.execute(other, later(under.gateway))).toEqual(created("B"));
    await under.marked(other);
    expect(await under.row(other)).toMatchObject({ owner: "carrier", attempts: 1, fingerprint: fingerprintOf("B") });
    const late = await under.owners.records.write(request.caller, claim, "A");
    expect(late.outcome.case).toBe("stale");
    expect(await under.owners.records.executions(request.caller)).toEqual([]);
  });

  test("other, and the old owner cannot answer: 503, the claim is not taken over", async () => {
    const { request } = await under.claimed("A");
    const row = await under.row(request);
    under.owners.records.failWith(lost());
    const other = under.request("B", { caller: request.caller, owner: "carrier", send: never });
    expect(await refusal(under.execute(other, later(under.gateway)))).toBe("service_unavailable");
    expect(await under.row(request)).toEqual(row);
  });
});
