import { create } from "@bufbuild/protobuf";
import { openTransaction } from "@shipping/kit/testing/database";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { WriteOutcomeSchema } from "@shipping/proto/shipping/common/v1/common_pb";
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
import type { OnceRequest } from "./execute-once.js";

const under = forAllTests(idempotencyUnderTest);
afterEach(() => under.owners.records.failWith(undefined));

type Send = OnceRequest["send"];

describe("the RPC", () => {
  test("no outcome: an error of ours, and the claim stays for whoever asks the owner", async () => {
    const request = under.request("A", { send: async () => create(WriteOutcomeSchema) });
    await expect(under.execute(request)).rejects.toThrow("The owner of the write gave no outcome.");
    expect(await under.row(request)).toMatchObject({ state: "claimed" });
  });

  test("conflict: 409, and the claim is done with the fingerprint of the ledger", async () => {
    const { request, claim } = await under.claimed("A");
    await under.owners.records.write(request.caller, claim, "A");
    // Restores the gateway's database to a time before the claim.
    await under.gateway.db.pool.query("DELETE FROM idempotency_registry WHERE account_id = $1", [
      request.caller.accountId,
    ]);
    const other = under.request("B", { caller: request.caller });
    expect(await refusal(under.execute(other))).toBe("idempotency_conflict");
    await under.marked(other);
    expect(await under.row(other)).toMatchObject({ fingerprint: fingerprintOf("A") });
  });

  test("stale: the registry is read again, and the newer claim decides", async () => {
    const first = under.request("A");
    const other = under.request("B", { caller: first.caller });
    // While the first call is in progress, its lease ends and the other request takes the key.
    const overtaken: Send = async (claim, options) => {
      expect(await under.execute(other, later(under.otherGateway))).toEqual(created("B"));
      return first.send(claim, options);
    };
    expect(await refusal(under.execute({ ...first, send: overtaken }))).toBe("idempotency_conflict");
    expect(await under.owners.records.executions(first.caller)).toMatchObject([{ content: "B" }]);
  });

  test("stale, and whoever fenced the claim off has died: a new claim takes its place", async () => {
    const { request, token } = await under.claimed("A");
    await under.owners.records.client.resolve({ ...request, token });
    expect(await under.execute(request, later(under.gateway))).toEqual(created("A"));
    await under.marked(request);
    expect(await under.row(request)).toMatchObject({ attempts: 1, fingerprint: fingerprintOf("A") });
    expect(Number((await under.row(request))?.token)).toBeGreaterThan(Number(token));
  });

  test("stale, since a request that did not validate had fenced the claim off: the first one's retry goes through", async () => {
    const { request } = await under.claimed("A");
    const other = under.request("B", { caller: request.caller, owner: "carrier", validate: invalid });
    expect(await refusal(under.execute(other, later(under.gateway)))).toBe("invalid_request");
    expect(await under.execute(request, later(under.gateway))).toEqual(created("A"));
  });

  test("ambiguous and not executed: 503, and the next request creates under the same token", async () => {
    const request = under.request("A");
    expect(await refusal(under.execute({ ...request, send: () => Promise.reject(lost()) }))).toBe(
      "service_unavailable",
    );
    expect(await under.row(request)).toMatchObject({ state: "claimed", leaseLive: false, attempts: 1 });
    expect(await under.execute(request)).toEqual(created("A"));
  });

  test("ambiguous after the commit: 503, and the next request is a replay", async () => {
    const request = under.request("A");
    const cutOff: Send = async (claim, options) => {
      await request.send(claim, options);
      throw lost();
    };
    expect(await refusal(under.execute({ ...request, send: cutOff }))).toBe("service_unavailable");
    expect(await under.execute(request)).toEqual(replayed("A"));
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });
});

describe("the registry", () => {
  test("does not keep requests waiting beyond the deadline: 503 by then, and a repetition finds the outcome", async () => {
    const holder = await openTransaction(under.otherGateway.db);
    await holder.query("LOCK TABLE idempotency_registry");
    const request = under.request("A", { deadline: performance.now() + 1_500 });
    const begun = performance.now();
    expect(await refusal(under.execute(request))).toBe("service_unavailable");
    // PostgreSQL would end the statement after 5 s.
    expect(performance.now() - begun).toBeLessThan(4_500);
    await holder.query("COMMIT");
    holder.release();
    const again = under.request("A", { caller: request.caller });
    expect((await under.execute(again)).content).toBe("A");
    expect(await under.owners.records.executions(request.caller)).toHaveLength(1);
  });
});
