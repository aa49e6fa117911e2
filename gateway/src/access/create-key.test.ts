import { randomBytes } from "node:crypto";
import { newApiKey, parseApiKey, scopes } from "@shipping/api/api-key";
import type { Environment } from "@shipping/kit/caller";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { openTransaction } from "@shipping/kit/testing/database";
import { lockWaits } from "@shipping/kit/testing/locks";
import sql from "sql-template-tag";
import { beginErasing, createAccount, setSuspended } from "../accounts/manage-accounts.js";
import { accessUnderTest } from "../testing/access-under-test.js";

let gateway: Awaited<ReturnType<typeof accessUnderTest>>;
beforeEach(async () => {
  gateway = await accessUnderTest();
});
afterEach(() => gateway.drop());

const actor = { name: "ada@example.com", source: "192.0.2.1" };
const newAccount = async () => (await createAccount(gateway.admin, { name: "Acme" })).id;
const newForm = () => newId("form", randomBytes);

/** A request for a key that the portal has made. */
function wanted(accountId: string, change: { environment?: Environment; formId?: string } = {}) {
  const { environment = "sandbox", formId = newForm() } = change;
  const { key, ...stored } = newApiKey(environment, randomBytes);
  const request = { caller: { accountId, environment }, actor, name: "Shop", scopes: [...scopes], formId, ...stored };
  return { key, request };
}
const createOne = (accountId: string) => gateway.access.createKey(wanted(accountId).request);

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => [failureIn(error)?.code, failureIn(error)?.message],
  );
const codesOf = async (calls: Promise<unknown>[]) =>
  (await Promise.all(calls.map(refusalOf))).map((refusal) => refusal?.[0] ?? "created").sort();
/** Reads the changes of an account's keys that the gateway has recorded for the audit log. */
const keyChangesOf = (accountId: string) =>
  gateway.db.run<{ action: string }>(sql`
    SELECT action, actor, source, subject, detail FROM account_changes
    WHERE account_id = ${accountId} AND action LIKE 'key.%' ORDER BY action`);
const outcomes = async () =>
  Object.fromEntries(
    [...(await gateway.metrics.render()).matchAll(/gateway_new_keys_total\{outcome="(\w+)".*\} (\d+)/g)].map(
      ([, outcome, count]) => [outcome, Number(count)],
    ),
  );

/** Moves the creation of all keys back in time. */
const age = (minutes: number) =>
  gateway.db.pool.query("UPDATE api_keys SET created_at = created_at - $1 * interval '1 minute'", [minutes]);

test("creates the key whose hash it gets, with its window and its line for the audit log", async () => {
  const accountId = await newAccount();
  const { key, request } = wanted(accountId);
  const { id, expiresAt } = await gateway.access.createKey({ ...request, expiresInMs: 86_400_000n });
  const { key: read } = await gateway.access.getKey({ caller: request.caller, id });
  expect(read).toMatchObject({ name: "Shop", lastFour: key.slice(-4), active: true, expiresAt, scopes: [...scopes] });
  expect(Date.parse(expiresAt!) - Date.parse(read!.createdAt)).toBe(86_400_000);
  const stored = await gateway.prisma.apiKey.findUniqueOrThrow({ where: { id } });
  expect(Buffer.compare(stored.hash, parseApiKey(`Bearer ${key}`)!.hash)).toBe(0);
  const detail = `Shop, ends in ${key.slice(-4)}: ${scopes.join(" ")}`;
  expect(await keyChangesOf(accountId)).toMatchObject([
    { action: "key.created", actor: actor.name, source: actor.source, subject: id, detail },
  ]);
  const { rows } = await gateway.db.pool.query("SELECT FROM rate_windows WHERE key_id = $1", [id]);
  expect(rows).toHaveLength(1);
});

describe("a form creates one key", () => {
  test("the same form with the same hash gets the same answer, also at once, later, and at every limit", async () => {
    const accountId = await newAccount();
    const { request } = wanted(accountId);
    const repeat = () => gateway.access.createKey({ ...request, expiresInMs: 86_400_000n });
    const answers = await Promise.all(Array.from({ length: 10 }, repeat));
    expect(new Set(answers.map(({ id, expiresAt }) => `${id} ${expiresAt}`)).size).toBe(1);
    for (let n = 2; n <= 10; n++) await createOne(accountId);
    await setSuspended(gateway.admin, accountId, true);
    expect(await repeat()).toEqual(answers[0]);
    expect((await keyChangesOf(accountId)).map(({ action }) => action)).toEqual(Array(10).fill("key.created"));
    expect(await outcomes()).toEqual({ created: 10, account_limit: 0, platform_limit: 0 });
  });

  test("another hash is a conflict; the same form of another account is not", async () => {
    const accountId = await newAccount();
    const formId = newForm();
    const create = (account: string) => gateway.access.createKey(wanted(account, { formId }).request);
    expect(await codesOf(Array.from({ length: 10 }, () => create(accountId)))).toEqual([
      "created",
      ...Array(9).fill("idempotency_conflict"),
    ]);
    expect(await refusalOf(create(await newAccount()))).toBeUndefined();
  });

  test("a hash that is known belongs to one key, of whichever account", async () => {
    const { hash } = await gateway.newKey();
    const { request } = wanted(await newAccount());
    expect(await refusalOf(gateway.access.createKey({ ...request, hash }))).toEqual([
      "invalid_request",
      "A key with this hash exists. Make another key.",
    ]);
  });
});

describe("an account that may not change", () => {
  test("gets no key while it is suspended or being erased, or if there is none, and loses none", async () => {
    const accountId = await newAccount();
    const { id } = await createOne(accountId);
    const revoke = () => gateway.access.revokeKey({ caller: { accountId, environment: "sandbox" }, actor, id });
    await setSuspended(gateway.admin, accountId, true);
    const words = `${accountId} is suspended. Nothing was changed. Ask the operator to resume it.`;
    for (const change of [() => createOne(accountId), revoke])
      expect(await refusalOf(change())).toEqual(["not_found", words]);
    await beginErasing(gateway.admin, accountId);
    for (const change of [() => createOne(accountId), revoke]) {
      expect(await refusalOf(change())).toEqual(["not_found", `${accountId} is being erased. Nothing was changed.`]);
    }
    expect(await gateway.prisma.apiKey.findMany({ where: { accountId } })).toMatchObject([{ id, revokedAt: null }]);
    const unknown = newId("acc", randomBytes);
    expect(await refusalOf(createOne(unknown))).toEqual(["not_found", `No such account: ${unknown}`]);
  });

  test("gets no key that was created beside its suspension: a suspension waits for the key, or comes first", async () => {
    const accountId = await newAccount();
    const suspending = await openTransaction(gateway.db);
    try {
      await suspending.query("UPDATE accounts SET suspended_at = now() WHERE id = $1", [accountId]);
      const creating = refusalOf(createOne(accountId));
      await lockWaits(gateway.db);
      await suspending.query("COMMIT");
      expect((await creating)?.[0]).toBe("not_found");
    } finally {
      suspending.release();
    }
    expect(await gateway.prisma.apiKey.count({ where: { accountId } })).toBe(0);
  });

  test("keeps its keys' times: a second revocation returns the first", async () => {
    const accountId = await newAccount();
    const { id } = await createOne(accountId);
    const revoke = () => gateway.access.revokeKey({ caller: { accountId, environment: "sandbox" }, actor, id });
    const revoked = await Promise.all(Array.from({ length: 10 }, revoke));
    expect(new Set(revoked.map(({ revokedAt }) => revokedAt)).size).toBe(1);
    expect((await keyChangesOf(accountId)).map(({ action }) => action)).toEqual(["key.created", "key.revoked"]);
    const live = { accountId, environment: "live" };
    for (const unknown of [
      { caller: live, id },
      { caller: { ...live, environment: "sandbox" }, id: "key_none" },
    ]) {
      expect((await refusalOf(gateway.access.revokeKey({ ...unknown, actor })))?.[0]).toBe("not_found");
    }
  });
});

describe("in an hour", () => {
  test("members of an account create 10 keys, in both environments together, however many they ask for at once", async () => {
    const accountId = await newAccount();
    const environments: Environment[] = ["sandbox", "live"];
    const ask = () =>
      environments.flatMap((environment) =>
        Array.from({ length: 10 }, () => gateway.access.createKey(wanted(accountId, { environment }).request)),
      );
    const expected = [...Array(10).fill("created"), ...Array(10).fill("rate_limited")];
    expect(await codesOf(ask())).toEqual(expected);
    expect(await outcomes()).toEqual({ created: 10, account_limit: 10, platform_limit: 0 });
    expect(await refusalOf(createOne(accountId))).toEqual([
      "rate_limited",
      "This account has created 10 keys in an hour, the maximum. Try again later.",
    ]);
    expect(await refusalOf(createOne(await newAccount()))).toBeUndefined();
    await age(59);
    expect(await codesOf([createOne(accountId)])).toEqual(["rate_limited"]);
    await age(1);
    expect(await codesOf(ask())).toEqual(expected);
  });

  test("all members create 200 keys, also at once; the operator's keys are neither counted nor refused", async () => {
    for (let n = 0; n < 5; n++) await gateway.newKey();
    for (let n = 0; n < 19; n++) {
      const accountId = await newAccount();
      await Promise.all(Array.from({ length: 10 }, () => createOne(accountId)));
    }
    const others = await Promise.all(Array.from({ length: 12 }, newAccount));
    const [first = "", second = "", ...rest] = others;
    for (const accountId of rest.slice(1)) await createOne(accountId);
    // The 200th key is being created by another gateway while this one gets a request.
    const other = await openTransaction(gateway.db);
    let waiting: Promise<unknown> = Promise.resolve();
    try {
      await other.query(
        `INSERT INTO api_keys (id, account_id, environment, form_id, hash, last_four, scopes, created_at)
         VALUES ('key_a', $1, 'live', 'form_a', sha256('a'), 'abcd', '{orders:read}', now())`,
        [first],
      );
      waiting = refusalOf(createOne(second));
      await lockWaits(gateway.db);
      await other.query("COMMIT");
    } finally {
      other.release();
    }
    expect(await waiting).toEqual(["rate_limited", expect.any(String)]);
    expect(await codesOf(others.map(createOne))).toEqual(Array(12).fill("rate_limited"));
    expect(await outcomes()).toEqual({ created: 199, account_limit: 0, platform_limit: 13 });
    expect(await refusalOf(createOne(others[0]!))).toEqual([
      "rate_limited",
      "Too many keys were created in the last hour on this platform. Try again later.",
    ]);
    expect(await gateway.newKey()).toMatchObject({ id: expect.any(String) });
    await age(60);
    expect(await refusalOf(createOne(others[0]!))).toBeUndefined();
  });
});
