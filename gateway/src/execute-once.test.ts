import { Code, ConnectError } from "@connectrpc/connect";
import { type Failure, fail, toConnectError } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import { executeOnce, type OnceRequest } from "./execute-once.js";
import { claimKey, peekKey, type RegistryRequest, rejoinClaim } from "./registry.js";
import { fingerprintOf, idempotencyUnderTest, later, newCaller, told } from "./testing/idempotency-under-test.js";

let under: Awaited<ReturnType<typeof idempotencyUnderTest>>;
beforeAll(async () => {
  under = await idempotencyUnderTest();
});
afterAll(() => under.end());
afterEach(() => under.owners.records.failWith(undefined));

type Request = OnceRequest<string>;

const created = (content: string) => ({ status: 201, replayed: false, content });
const replayed = (content: string) => ({ status: 201, replayed: true, content });
const execute = async (request: Request, gateway = under.gateway) => told(await executeOnce(gateway, request));
const lost = () => new ConnectError("connection lost", Code.Unavailable);
const never = () => {
  throw new Error("This must not be called.");
};

/** The code of the refusal that a promise ends in. */
const refusal = async (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => "no refusal",
    (error: Failure) => error.code ?? String(error),
  );

/** Resolves once the key's row is done. */
const marked = (request: RegistryRequest) =>
  eventually(async () => expect((await under.row(request))?.state).toBe("done"));

/** A claim of `content` that somebody has made and not come back to. */
async function claimed(content: string, options: Partial<Request> = {}) {
  const request = under.request(content, options);
  const token = await claimKey(under.gateway, request);
  if (!token) throw new Error("The key is taken.");
  return { request, token, claim: { ...request, token } };
}

describe("peek: none", () => {
  test("claims, sends, answers, and marks the claim done", async () => {
    const request = under.request("A");
    expect(await execute(request)).toEqual(created("A"));
    await marked(request);
    expect(await under.row(request)).toMatchObject({ owner: "records", attempts: 1, fingerprint: fingerprintOf("A") });
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });

  test("a request that does not validate reserves nothing and is not sent", async () => {
    const request = under.request("A", { send: never });
    const invalid = {
      ...request,
      validate: () => {
        throw fail("invalid_request");
      },
    };
    expect(await refusal(execute(invalid))).toBe("invalid_request");
    expect(await under.row(request)).toBeUndefined();
    expect(await execute(under.request("B", { caller: request.caller }))).toEqual(created("B"));
  });

  test("sends with the claim's token, its request id and half a second less than is left", async () => {
    const send = jest.fn(under.request("A").send);
    await execute(under.request("A", { send, deadline: Date.now() + 3_000 }));
    const [, claim, options] = send.mock.calls[0]!;
    expect(claim).toEqual({ idempotencyKey: "a key", token: expect.any(BigInt), fingerprint: fingerprintOf("A") });
    expect(options.headers).toEqual({ "x-request-id": "req_test" });
    expect(options.timeoutMs).toBeGreaterThan(1_000);
    expect(options.timeoutMs).toBeLessThanOrEqual(2_500);
  });

  test("503 and the key stays free when less than a second is left: nothing is sent", async () => {
    const request = under.request("A", { send: never, deadline: Date.now() + 900 });
    expect(await refusal(execute(request))).toBe("service_unavailable");
    expect(await under.row(request)).toBeUndefined();
  });

  test("keys of the same name are another caller's and environment's own", async () => {
    const caller = newCaller();
    await execute(under.request("A", { caller }));
    expect(await execute(under.request("B", { caller: { ...caller, environment: "live" } }))).toEqual(created("B"));
    expect(await execute(under.request("C"))).toEqual(created("C"));
  });
});

describe("peek: done", () => {
  test("same: the owner's result is replayed, whatever validation says by now", async () => {
    const first = under.request("A");
    await execute(first);
    await marked(first);
    const again = { ...first, validate: never, send: never };
    expect(await execute(again)).toEqual(replayed("A"));
    expect(await execute({ ...again, peeked: await under.row(first) }, under.otherGateway)).toEqual(replayed("A"));
  });

  test("other: 409 idempotency_conflict before validation, at whichever owner", async () => {
    const first = under.request("A");
    await execute(first);
    await marked(first);
    const other = { caller: first.caller, validate: never, send: never };
    expect(await refusal(execute(under.request("B", other)))).toBe("idempotency_conflict");
    expect(await refusal(execute(under.request("C", { ...other, owner: "carrier" })))).toBe("idempotency_conflict");
  });

  test("503 while the owner is down, and the registry is untouched", async () => {
    const first = under.request("A");
    await execute(first);
    await marked(first);
    const row = await under.row(first);
    for (const error of [lost(), toConnectError(fail("service_unavailable"))]) {
      under.owners.records.failWith(error);
      expect(await refusal(execute(first))).toBe("service_unavailable");
      expect(await under.row(first)).toEqual(row);
    }
  });

  test("same, but the owner was restored from an older backup: a new claim with a higher token", async () => {
    const first = under.request("A");
    await execute(first);
    await marked(first);
    const before = await under.row(first);
    await under.owners.records.forget(first.caller);
    expect(await execute(first)).toEqual(created("A"));
    await marked(first);
    expect(Number((await under.row(first))?.token)).toBeGreaterThan(Number(before?.token));
    expect(await under.owners.records.executions(first.caller)).toHaveLength(1);
  });
});

describe("peek: claimed, lease live", () => {
  test("other: 409 idempotency_conflict at once", async () => {
    const { request } = await claimed("A");
    const other = under.request("B", { caller: request.caller, validate: never, send: never });
    expect(await refusal(execute(other))).toBe("idempotency_conflict");
  });

  test("the row that admit saw is read again: the claim may be gone by now", async () => {
    const { request } = await claimed("A");
    const peeked = await under.row(request);
    await under.gateway.db.pool.query("DELETE FROM idempotency_registry WHERE account_id = $1", [
      request.caller.accountId,
    ]);
    expect(await execute(under.request("B", { caller: request.caller, peeked }))).toEqual(created("B"));
  });
});

describe("peek: claimed, lease over", () => {
  test("same: rejoins under the claim's own token", async () => {
    const { request, token } = await claimed("A");
    expect(await execute(request, later(under.gateway))).toEqual(created("A"));
    await marked(request);
    expect(await under.row(request)).toMatchObject({ token, attempts: 2 });
  });

  test("same, and the first had committed: its answer is replayed", async () => {
    const { request, claim } = await claimed("A");
    await under.owners.records.write(request.caller, claim, "A");
    expect(await execute(request, later(under.gateway))).toEqual(replayed("A"));
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });

  test("same, but it does not validate any more: the first one's result counts, not today's rules", async () => {
    const { request, claim } = await claimed("A");
    await under.owners.records.write(request.caller, claim, "A");
    const invalid = {
      ...request,
      validate: () => {
        throw fail("invalid_request");
      },
    };
    expect(await execute(invalid, later(under.gateway))).toEqual(replayed("A"));
  });

  test("other, and the first had committed: 409, and the claim is done", async () => {
    const { request, claim } = await claimed("A");
    await under.owners.records.write(request.caller, claim, "A");
    const other = under.request("B", { caller: request.caller, owner: "carrier", validate: never });
    expect(await refusal(execute(other, later(under.gateway)))).toBe("idempotency_conflict");
    expect(await under.row(request)).toMatchObject({ state: "done", fingerprint: fingerprintOf("A") });
  });

  test("other, and the first had not: takes over with a new token, and the first is fenced off", async () => {
    const { request, claim } = await claimed("A");
    const other = under.request("B", { caller: request.caller, owner: "carrier" });
    expect(await execute(other, later(under.gateway))).toEqual(created("B"));
    await marked(other);
    expect(await under.row(other)).toMatchObject({ owner: "carrier", attempts: 1, fingerprint: fingerprintOf("B") });
    const late = await under.owners.records.write(request.caller, claim, "A");
    expect(late.outcome.case).toBe("stale");
    expect(await under.owners.records.executions(request.caller)).toEqual([]);
  });

  test("other, and the old owner cannot say: 503, nothing is taken over", async () => {
    const { request } = await claimed("A");
    const row = await under.row(request);
    under.owners.records.failWith(lost());
    const other = under.request("B", { caller: request.caller, owner: "carrier", send: never });
    expect(await refusal(execute(other, later(under.gateway)))).toBe("service_unavailable");
    expect(await under.row(request)).toEqual(row);
  });
});

describe("the RPC", () => {
  test("conflict: 409, and the claim is done with the fingerprint of the ledger", async () => {
    const { request, claim } = await claimed("A");
    await under.owners.records.write(request.caller, claim, "A");
    // The gateway's database was restored from before the claim.
    await under.gateway.db.pool.query("DELETE FROM idempotency_registry WHERE account_id = $1", [
      request.caller.accountId,
    ]);
    const other = under.request("B", { caller: request.caller });
    expect(await refusal(execute(other))).toBe("idempotency_conflict");
    await marked(other);
    expect(await under.row(other)).toMatchObject({ fingerprint: fingerprintOf("A") });
  });

  test("stale: the registry is read again, and the newer claim decides", async () => {
    const first = under.request("A");
    const other = under.request("B", { caller: first.caller });
    // While the first is on its way, its lease ends and the other takes the key.
    const overtaken: Request["send"] = async (input, claim, options) => {
      expect(await execute(other, later(under.otherGateway))).toEqual(created("B"));
      return first.send(input, claim, options);
    };
    expect(await refusal(execute({ ...first, send: overtaken }))).toBe("idempotency_conflict");
    expect(await under.owners.records.executions(first.caller)).toMatchObject([{ content: "B" }]);
  });

  test("refused for certain: the refusal is answered and the key is free", async () => {
    const request = under.request("A");
    const refused = { ...request, send: () => Promise.reject(toConnectError(fail("not_found", "No such order."))) };
    await expect(executeOnce(under.gateway, refused)).rejects.toMatchObject({
      code: "not_found",
      message: "No such order.",
    });
    expect(await under.row(request)).toBeUndefined();
    expect(await execute(under.request("B", { caller: request.caller }))).toEqual(created("B"));
  });

  test("refused, but another attempt under the same token commits meanwhile: that one's answer is replayed", async () => {
    const request = under.request("A");
    const refusedLate: Request["send"] = async () => {
      expect(await execute(request, later(under.otherGateway))).toEqual(created("A"));
      await marked(request);
      throw fail("not_found");
    };
    expect(await execute({ ...request, send: refusedLate })).toEqual(replayed("A"));
  });

  test("refused, another attempt is still on its way: it is fenced off before the refusal is reported", async () => {
    const request = under.request("A");
    const refused: Request["send"] = async (_input, claim) => {
      await rejoinClaim(later(under.otherGateway), request, claim.token);
      throw fail("not_found");
    };
    expect(await refusal(execute({ ...request, send: refused }))).toBe("not_found");
    expect(await under.row(request)).toBeUndefined();
    expect(under.owners.records.asked.at(-1)).toBe("Resolve");
  });

  test("refused, another attempt may have committed, and the owner cannot say: 503, never the stale refusal", async () => {
    const request = under.request("A");
    const refused: Request["send"] = async (input, claim, options) => {
      await rejoinClaim(later(under.otherGateway), request, claim.token);
      await request.send(input, claim, options);
      under.owners.records.failWith(lost());
      throw fail("not_found");
    };
    expect(await refusal(execute({ ...request, send: refused }))).toBe("service_unavailable");
    expect(await under.row(request)).toMatchObject({ state: "claimed", leaseLive: false });
    under.owners.records.failWith(undefined);
    expect(await execute(request)).toEqual(replayed("A"));
  });

  test("refused, but the claim was taken over: the registry decides, not the stale refusal", async () => {
    const first = under.request("A");
    const other = under.request("B", { caller: first.caller });
    const refusedLate: Request["send"] = async () => {
      expect(await execute(other, later(under.otherGateway))).toEqual(created("B"));
      throw fail("not_found");
    };
    expect(await refusal(execute({ ...first, send: refusedLate }))).toBe("idempotency_conflict");
  });

  test("ambiguous and not executed: 503, and the next request creates under the same token", async () => {
    const request = under.request("A");
    expect(await refusal(execute({ ...request, send: () => Promise.reject(lost()) }))).toBe("service_unavailable");
    expect(await under.row(request)).toMatchObject({ state: "claimed", leaseLive: false, attempts: 1 });
    expect(await execute(request)).toEqual(created("A"));
  });

  test("ambiguous after the commit: 503, and the next request is a replay", async () => {
    const request = under.request("A");
    const cutOff: Request["send"] = async (input, claim, options) => {
      await request.send(input, claim, options);
      throw lost();
    };
    expect(await refusal(execute({ ...request, send: cutOff }))).toBe("service_unavailable");
    expect(await execute(request)).toEqual(replayed("A"));
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });

  test("ambiguous, then another body: the first is fenced off, the other executed", async () => {
    const request = under.request("A");
    expect(await refusal(execute({ ...request, send: () => Promise.reject(lost()) }))).toBe("service_unavailable");
    expect(await execute(under.request("B", { caller: request.caller, owner: "carrier" }))).toEqual(created("B"));
  });

  test("delayed past its lease, retried, then let go: one execution, equal answers", async () => {
    const request = under.request("A");
    let retried: unknown;
    const delayed: Request["send"] = async (input, claim, options) => {
      retried = await execute(request, later(under.otherGateway));
      return request.send(input, claim, options);
    };
    expect(await execute({ ...request, send: delayed })).toEqual(replayed("A"));
    expect(retried).toEqual(created("A"));
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
    expect((await peekKey(under.gateway, request))?.attempts).toBe(2);
  });
});
