import { fail, toConnectError } from "@shipping/kit/errors";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { created, idempotencyUnderTest, later, lost, refusal, replayed } from "../testing/idempotency-under-test.js";
import { executeOnce, type OnceRequest } from "./execute-once.js";
import { deleteSoleClaim, rejoinClaim, takeOverKey } from "./registry.js";
import { releaseClaim } from "./resolve-claim.js";

const under = forAllTests(idempotencyUnderTest);
afterEach(() => under.owners.records.failWith(undefined));

type Send = OnceRequest["send"];
type Claimed = Awaited<ReturnType<typeof under.claimed>>["claim"];

test("refused for certain: the refusal is answered and the key is free", async () => {
  const request = under.request("A");
  const refused = { ...request, send: () => Promise.reject(toConnectError(fail("not_found", "No such order."))) };
  await expect(executeOnce(under.gateway, refused)).rejects.toMatchObject({
    code: "not_found",
    message: "No such order.",
  });
  expect(await under.row(request)).toBeUndefined();
  expect(await under.execute(under.request("B", { caller: request.caller }))).toEqual(created("B"));
});

test("refused, but another attempt under the same token commits meanwhile: that one's answer is replayed", async () => {
  const request = under.request("A");
  const refusedLate: Send = async () => {
    expect(await under.execute(request, later(under.otherGateway))).toEqual(created("A"));
    await under.marked(request);
    throw fail("not_found");
  };
  expect(await under.execute({ ...request, send: refusedLate })).toEqual(replayed("A"));
});

test("refused, another attempt is still on its way: it is fenced off before the refusal is reported", async () => {
  const request = under.request("A");
  const refused: Send = async (claim) => {
    await rejoinClaim(later(under.otherGateway), request, claim.token);
    throw fail("not_found");
  };
  expect(await refusal(under.execute({ ...request, send: refused }))).toBe("not_found");
  expect(await under.row(request)).toBeUndefined();
  expect(under.owners.records.asked.at(-1)).toBe("Resolve");
});

test("refused, another attempt may have committed, and the owner cannot say: 503, never the stale refusal", async () => {
  const request = under.request("A");
  const refused: Send = async (claim, options) => {
    await rejoinClaim(later(under.otherGateway), request, claim.token);
    await request.send(claim, options);
    under.owners.records.failWith(lost());
    throw fail("not_found");
  };
  expect(await refusal(under.execute({ ...request, send: refused }))).toBe("service_unavailable");
  expect(await under.row(request)).toMatchObject({ state: "claimed", leaseLive: false });
  under.owners.records.failWith(undefined);
  expect(await under.execute(request)).toEqual(replayed("A"));
});

test("refused, but the claim was taken over: the registry decides, not the stale refusal", async () => {
  const first = under.request("A");
  const other = under.request("B", { caller: first.caller });
  const refusedLate: Send = async () => {
    expect(await under.execute(other, later(under.otherGateway))).toEqual(created("B"));
    throw fail("not_found");
  };
  expect(await refusal(under.execute({ ...first, send: refusedLate }))).toBe("idempotency_conflict");
});

describe("refused, but the claim is gone: the registry is read again, and the owner is not asked", () => {
  test.each([
    ["it was settled", (claim: Claimed) => deleteSoleClaim(under.otherGateway, claim, claim.token)],
    [
      "another request has the key",
      (claim: Claimed) => takeOverKey(under.otherGateway, claim, { token: claim.token, state: "claimed" }),
    ],
  ])("%s", async (_case, lose) => {
    const { claim } = await under.claimed("A");
    await lose(claim);
    under.owners.records.failWith(lost());
    expect(await releaseClaim(under.gateway, claim, () => ({}))).toBe(false);
  });
});
