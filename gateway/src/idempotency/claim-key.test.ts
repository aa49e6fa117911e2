import { openTransaction } from "@shipping/kit/testing/database";
import { lockWaits } from "@shipping/kit/testing/locks";
import { newCaller } from "@shipping/kit/testing/writes";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { markDone } from "./mark-done.js";
import {
  claimKey,
  deleteFencedClaim,
  deleteSoleClaim,
  endLease,
  fingerprint,
  peekKey,
  type RegistryRequest,
  rejoinClaim,
  takeOverKey,
} from "./registry.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const caller = newCaller();
const request = (idempotencyKey: string, body = "A"): RegistryRequest => ({
  caller,
  idempotencyKey,
  fingerprint: fingerprint("POST", "/orders", body),
  owner: "records",
});

/** Claims the keys of these requests in one statement. Returns for each whether it got its key. */
async function claim(...requests: RegistryRequest[]): Promise<boolean[]> {
  const deps = { db: gateway.db, clockOffsetMs: 0 };
  return (await Promise.all(requests.map((one) => claimKey(deps, one)))).map((token) => token !== undefined);
}

test("of requests with the same key at the same time, the first gets it", async () => {
  expect(await claim(request("k1", "A"), request("k2"), request("k1", "B"), request("k1", "A"))).toEqual([
    ...[true, true],
    ...[false, false],
  ]);
});

test("claims of the same keys in opposite order do not wait for each other", async () => {
  const other = await openTransaction(gateway.db);
  await other.query(
    `INSERT INTO idempotency_registry (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts, lease_until)
     VALUES ($1, $2, 'a', $3, 'records', 'claimed', 0, 1, now())`,
    [caller.accountId, caller.environment, request("a").fingerprint],
  );
  // This claim waits for the key `a` and holds no other key meanwhile.
  const first = claim(request("c"), request("a"), request("b"));
  await lockWaits(gateway.db);
  const second = await claim(request("b"), request("c")).finally(() => other.query("ROLLBACK"));
  other.release();
  expect([second, await first]).toEqual([
    [true, true],
    [false, true, false],
  ]);
});

test("a claim is continued, ended, replaced and deleted under its own key and token alone, and only while it is open", async () => {
  const deps = { db: gateway.db, clockOffsetMs: 0 };
  const later = { ...deps, clockOffsetMs: 4_001 };
  const [own, other] = [request("own"), request("other")];
  const [token, otherToken] = [(await claimKey(deps, own))!, (await claimKey(deps, other))!];
  const rows = async () => {
    const where = `account_id = $1 AND idempotency_key IN ('own', 'other') ORDER BY idempotency_key`;
    const text = `SELECT *, lease_until > now() AS live FROM idempotency_registry WHERE ${where}`;
    return (await deps.db.pool.query(text, [caller.accountId])).rows;
  };
  async function tryAll(given: bigint, state: "claimed" | "done"): Promise<void> {
    expect(await rejoinClaim(later, own, given)).toBeUndefined();
    expect(await takeOverKey(later, own, { token: given, state })).toBeUndefined();
    expect([await deleteSoleClaim(deps, own, given), await deleteFencedClaim(deps, own, given)]).toEqual([
      false,
      false,
    ]);
    await endLease(deps, own, given);
  }
  const before = await rows();
  expect(await rejoinClaim(deps, own, token)).toBeUndefined();
  for (const wrong of [token - 1n, otherToken]) await tryAll(wrong, "claimed");
  expect(await takeOverKey(later, own, { token, state: "done" })).toBeUndefined();
  expect(await rows()).toEqual(before);

  await markDone(deps, [{ ...own, token }]);
  const done = await rows();
  expect(done).toMatchObject([{ state: "claimed" }, { state: "done", lease_until: null }]);
  await tryAll(token, "claimed");
  expect(await rows()).toEqual(done);
  expect(await takeOverKey(deps, { ...own, owner: "carrier" }, { token, state: "done" })).toBeGreaterThan(otherToken);
  expect(await peekKey(deps, own)).toMatchObject({ owner: "carrier", state: "claimed", attempts: 1, leaseLive: true });
});
