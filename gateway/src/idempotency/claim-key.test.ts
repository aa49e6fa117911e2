import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { claimKey, fingerprint, type RegistryRequest } from "./registry.js";

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

/** Which of these requests get their key, claimed in one statement. */
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
  const other = await gateway.db.pool.connect();
  await other.query("BEGIN");
  await other.query(
    `INSERT INTO idempotency_registry (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts, lease_until)
     VALUES ($1, $2, 'a', $3, 'records', 'claimed', 0, 1, now())`,
    [caller.accountId, caller.environment, request("a").fingerprint],
  );
  // It waits for the key `a`, and holds no other key meanwhile.
  const first = claim(request("c"), request("a"), request("b"));
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await eventually(async () => expect((await gateway.db.pool.query(waiting)).rows).toHaveLength(1));
  const second = await claim(request("b"), request("c")).finally(() => other.query("ROLLBACK"));
  other.release();
  expect([second, await first]).toEqual([
    [true, true],
    [false, true, false],
  ]);
});
