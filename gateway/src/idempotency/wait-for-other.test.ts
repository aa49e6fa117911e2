import { fail } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import sql from "sql-template-tag";
import { created, fingerprintOf, idempotencyUnderTest, invalid, paused } from "../testing/idempotency-under-test.js";
import type { OnceRequest } from "./execute-once.js";
import { claimKey } from "./registry.js";

const under = forAllTests(idempotencyUnderTest);
afterEach(() => {
  under.owners.records.failWith(undefined);
  under.owners.records.asked.length = 0;
});

describe("a request under the key of another one that is open waits as an equal one does, and then", () => {
  /** Starts A, and a request B that waits for A, in the same process or in another. */
  async function openWith(b: Partial<OnceRequest> = {}, gateway = under.gateway) {
    const request = under.request("A");
    const first = paused(request);
    const leader = under.execute(first.request);
    await first.reached;
    const other = { ...under.request("B", { caller: request.caller }), ...b };
    const follower = under.execute(other, gateway);
    const settled = Promise.allSettled([leader, follower]);
    await under.polling();
    return { first, request, settled };
  }
  const refusedAs = (code: unknown) => ({ status: "rejected", reason: expect.objectContaining({ code }) });

  test.each([
    ["this process", () => under.gateway],
    ["another one", () => under.otherGateway],
  ])("409 idempotency_conflict once that has succeeded, in %s, without a call", async (_, gateway) => {
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
  ])("is executed once that has failed, in %s, because a failure does not reserve the key", async (_, gateway) => {
    const { first, settled } = await openWith({}, gateway());
    first.fail(fail("not_found"));
    expect(await settled).toEqual([refusedAs("not_found"), { status: "fulfilled", value: created("B") }]);
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
      validate: invalid,
    });
    const equal = under.execute(request);
    await under.registryAtRest();
    first.fail(fail("not_found"));
    // The poller may have woken the other request meanwhile, which then has the key.
    expect((await settled)[1]).toEqual(refusedAs(expect.stringMatching(/^(invalid_request|idempotency_conflict)$/)));
    expect(await equal).toEqual(created("A"));
  });

  test("takes the key over when the gateway of that one died", async () => {
    const request = under.request("A");
    await claimKey(under.gateway, request);
    const waiting = under.execute(under.request("B", { caller: request.caller }));
    await under.polling();
    await under.endLease(request);
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
      UPDATE idempotency_registry SET lease_until = now() + interval '9 seconds' WHERE account_id = ${request.caller.accountId}`);
    await expect(under.execute(other)).rejects.toMatchObject({ code: "idempotency_in_progress" });
  });
});
