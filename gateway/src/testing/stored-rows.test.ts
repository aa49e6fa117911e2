import { randomBytes } from "node:crypto";
import { newApiKey } from "@shipping/api/api-key";
import { newId } from "@shipping/kit/ids";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { requireAccount, requireChangeable, setSuspended } from "../accounts/manage-accounts.js";
import { createAdmit } from "../admission/admit.js";
import { peekKey } from "../idempotency/registry.js";
import { countRequests } from "../request-log/count-requests.js";
import { listRequests } from "../request-log/list-requests.js";
import { keepPartitionsOnce } from "../request-log/write-requests.js";
import { gatewayDatabase } from "./gateway-database.js";
import {
  accountChanges,
  endSuspension,
  exhaustKeys,
  expireKeys,
  markErasing,
  storeCustomers,
  storedKeys,
  suspendedSince,
  withoutChanges,
  withoutOperatorLog,
} from "./stored-accounts.js";
import * as requests from "./stored-requests.js";

// Tests of the whole platform write and read the gateway's tables through these functions, so this file fails if a change makes one of them wrong.

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
  await keepPartitionsOnce({ db: gateway.db, clockOffsetMs: 0, requestLogDays: 7 });
});
afterAll(() => gateway.drop());

const admit = (keyHash: Buffer) =>
  createAdmit({ db: gateway.db, requestsPerMinute: 120, clockOffsetMs: 0 })({ keyHash, idempotencyKey: undefined });

test("an account is suspended since a time, and no longer", async () => {
  const { accountId } = await gateway.newKey();
  await setSuspended(gateway.admin, accountId, true);
  await suspendedSince(gateway.db, accountId, 2);
  const { suspendedAt } = await requireAccount(gateway.admin, accountId);
  expect(Math.round((Date.now() - suspendedAt!.getTime()) / 60_000)).toBe(2);
  await endSuspension(gateway.db, accountId);
  expect(await requireAccount(gateway.admin, accountId)).toMatchObject({ suspendedAt: null });
});

test("keys are found by account and by ID, and expire in the days that they are given", async () => {
  const { id, accountId } = await gateway.newKey({ name: "Soon" });
  await expireKeys(gateway.db, "Soon", 6);
  const keys = await storedKeys(gateway.db, { accountId });
  expect(keys).toMatchObject([{ id, name: "Soon", environment: "sandbox", revokedAt: null }]);
  expect(await storedKeys(gateway.db, { id })).toEqual(keys);
  const expiresAt = keys[0]?.expiresAt?.getTime() ?? 0;
  expect(Math.round((expiresAt - Date.now()) / 86_400_000)).toBe(6);
});

test("customers are stored with keys, which have a limit that can be used up", async () => {
  const caller = newCaller();
  const { hash, lastFour } = newApiKey("sandbox", randomBytes);
  const key = { id: newId("key", randomBytes), accountId: caller.accountId, hash, lastFour };
  await storeCustomers(gateway.db, [caller.accountId], [key]);
  expect(await storedKeys(gateway.db, { accountId: [caller.accountId] })).toMatchObject([{ id: key.id, formId: null }]);
  expect(await admit(hash)).toMatchObject({ remaining: 119 });
  await exhaustKeys(gateway.db, [caller.accountId], 120);
  expect(await admit(hash)).toMatchObject({ within: false });
});

test("an account that is marked as being erased is not changed any more", async () => {
  const { accountId } = await gateway.newKey();
  await markErasing(gateway.db, accountId);
  await expect(requireChangeable(gateway.admin, accountId)).rejects.toThrow("is being erased");
});

test("changes are kept for the audit log, unless a database cannot keep those of one action", async () => {
  const { accountId } = await gateway.newKey();
  const suspend = () => setSuspended(gateway.admin, accountId, true);
  await expect(withoutChanges(gateway.db, "account.suspended", suspend)).rejects.toThrow("closed");
  await suspend();
  const found = await accountChanges(gateway.db, { accountId, action: "account.suspended" });
  expect(found).toMatchObject([{ accountId, actor: "operator", subject: accountId, checkAt: null }]);
});

test("without the log of operators, its table is missing, and is there again afterwards", async () => {
  const count = () => countIn(gateway.db, "operator_acts");
  await expect(withoutOperatorLog(gateway.db, count)).rejects.toThrow("operator_acts");
  expect(await count()).toEqual(expect.any(Number));
});

test("requests that count for a limit are moved into the past and back to now", async () => {
  const { hash } = await gateway.newKey();
  for (let n = 0; n < 3; n++) await admit(hash);
  await requests.backdateCounted(gateway.db, 61);
  expect(await admit(hash)).toMatchObject({ remaining: 119 });
  await requests.backdateCounted(gateway.db, 30);
  await requests.countNow(gateway.db);
  expect(await admit(hash)).toMatchObject({ remaining: 118, resetSeconds: 60 });
});

test("requests are logged and counted", async () => {
  const caller = newCaller();
  const id = newId("req", randomBytes);
  await requests.logRequest(gateway.db, caller, id);
  expect(await requests.loggedRequests(gateway.db, { requestId: id })).toMatchObject([
    { requestId: id, method: "POST", path: "/api/v1/orders", status: null, source: "" },
  ]);
  const { rows } = await listRequests(gateway, caller, {}, 10);
  expect(rows).toMatchObject([{ requestId: id }]);
  await requests.storeCounts(gateway.db, caller, 1, { read: 2.4, write: 900, invalid_request: 20 });
  const { hours, refusals } = await countRequests({ db: gateway.db, clockOffsetMs: 0 }, caller);
  expect(hours.at(-2)).toMatchObject({ reads: 2, writes: 900, refused: 20 });
  expect(refusals).toEqual([{ code: "invalid_request", count: 20 }]);
});

test("a claim is taken until it is forgotten", async () => {
  const caller = newCaller();
  const peek = () => peekKey({ db: gateway.db, clockOffsetMs: 0 }, { caller, idempotencyKey: "k" });
  await requests.storeClaim(gateway.db, caller, "k");
  expect(await peek()).toMatchObject({ state: "claimed", owner: "carrier" });
  await requests.forgetClaims(gateway.db, caller.accountId);
  expect(await peek()).toBeUndefined();
});

test("many requests and keys are there", async () => {
  const { accountId } = await gateway.newKey();
  const caller = { accountId, environment: "sandbox" as const };
  await gateway.db.run(requests.manyKeys(caller, 30));
  await gateway.db.run(requests.manyRequests(caller, 30));
  expect(await storedKeys(gateway.db, { accountId })).toHaveLength(31);
  expect((await listRequests(gateway, caller, {}, 25)).rows).toHaveLength(25);
  const live = { accountId, environment: "live" as const };
  await gateway.db.run(requests.answeredRequests(live, 3));
  expect((await listRequests(gateway, live, {}, 25)).rows).toMatchObject(
    Array(3).fill({ path: "/orders", status: 200 }),
  );
});
