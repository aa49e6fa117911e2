import { newApiKey, scopes } from "@shipping/api/api-key";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { AccountsService } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import sql from "sql-template-tag";
import { operatorsUnderTest } from "../testing/operators-under-test.js";

let gateway: Awaited<ReturnType<typeof operatorsUnderTest>>;
beforeAll(async () => {
  gateway = await operatorsUnderTest();
});
afterAll(() => gateway.drop());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error) => failureIn(error)?.code ?? error,
  );
const newKey = (accountId: string) => {
  const { hash, lastFour } = newApiKey("sandbox", gateway.admin.random);
  return { caller: { accountId, environment: "sandbox" }, scopes: [...scopes], hash, lastFour };
};
const newAccount = async (name = "Acme") => (await gateway.accounts.createAccount({ name }, await gateway.begin())).id;

describe("an act", () => {
  test("is begun, and done or failed once, whatever is repeated", async () => {
    const { id } = await gateway.begin("key create");
    const act = { id, operator: "ada", host: "desk", command: "key create", arguments: "" };
    await gateway.accounts.beginAct({ act });
    expect((await gateway.accounts.listActs({ limit: 1 })).acts).toMatchObject([{ ...act, outcome: "begun" }]);
    expect(await codeOf(gateway.accounts.beginAct({ act: { ...act, operator: "bob" } }))).toBe("idempotency_conflict");
    await gateway.accounts.endAct({ id, reason: "no" });
    await gateway.accounts.endAct({ id, reason: "no" });
    expect(await codeOf(gateway.accounts.endAct({ id }))).toBe("idempotency_conflict");
    expect(await codeOf(gateway.accounts.beginAct({ act }))).toBe("idempotency_conflict");
    expect((await gateway.accounts.listActs({ limit: 1 })).acts).toMatchObject([
      { id, outcome: "failed", reason: "no" },
    ]);
    expect(await codeOf(gateway.accounts.endAct({ id: newId("act", gateway.admin.random) }))).toBe("not_found");
  });

  test("is listed page by page, the newest first", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await gateway.begin()).id);
    const first = await gateway.accounts.listActs({ limit: 3 });
    const second = await gateway.accounts.listActs({ limit: 2, before: first.nextCursor! });
    expect([...first.acts, ...second.acts].map(({ id }) => id)).toEqual(ids);
  });

  test("belongs to every call that changes something: without one that has begun and not ended, nothing is changed", async () => {
    const ended = await gateway.begin();
    await gateway.accounts.endAct({ id: ended.id });
    const unknown = { headers: { "x-act-id": newId("act", gateway.admin.random) } };
    const before = await rowsIn(gateway.db, "accounts");
    const changing = Object.values(AccountsService.method).filter(
      ({ idempotency, name }) => idempotency === 2 && !/^(Begin|End)Act$/.test(name),
    );
    expect(changing).toHaveLength(6);
    for (const { localName } of changing) {
      const call = gateway.accounts[localName as "createAccount"];
      expect(await codeOf(call({ name: "Acme" }))).toBe("invalid_request");
      expect(await codeOf(call({ name: "Acme" }, unknown))).toBe("not_found");
      expect(await codeOf(call({ name: "Acme" }, ended))).toBe("idempotency_conflict");
    }
    expect(await rowsIn(gateway.db, "accounts")).toEqual(before);
  });
});

describe("a repeated creation of the same act", () => {
  test("makes one account, with one line for the audit log", async () => {
    const act = await gateway.begin();
    const made = await Promise.all([1, 2, 3].map(() => gateway.accounts.createAccount({ name: "Once" }, act)));
    const [{ id = "" } = {}] = made;
    expect(made.map((one) => one.id)).toEqual([id, id, id]);
    expect(await countIn(gateway.db, "accounts", { name: "Once" })).toBe(1);
    expect(await countIn(gateway.db, "account_changes", { accountId: id })).toBe(1);
    expect(await codeOf(gateway.accounts.createAccount({ name: "Twice" }, act))).toBe("idempotency_conflict");
  });

  test("makes one key, and refuses another key of the act", async () => {
    const accountId = await newAccount();
    const act = await gateway.begin("key create");
    const key = newKey(accountId);
    const made = await Promise.all([1, 2, 3].map(() => gateway.accounts.createKey(key, act)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await countIn(gateway.db, "api_keys", { accountId })).toBe(1);
    expect(await codeOf(gateway.accounts.createKey(newKey(accountId), act))).toBe("idempotency_conflict");
    expect(await codeOf(gateway.accounts.createKey(newKey(await newAccount()), act))).toBe("idempotency_conflict");
  });
});

test("accounts and keys are listed page by page, the oldest first, and found by name or ID", async () => {
  await gateway.db.run(sql`TRUNCATE accounts CASCADE`);
  const ids: string[] = [];
  for (const name of ["A", "B", "A"]) ids.push(await newAccount(name));
  const first = await gateway.accounts.listAccounts({ limit: 2 });
  const second = await gateway.accounts.listAccounts({ limit: 2, after: first.nextCursor! });
  expect([...first.accounts, ...second.accounts].map(({ id }) => id)).toEqual(ids);
  expect(second.nextCursor).toBeUndefined();
  const found = async (nameOrId: string) =>
    (await gateway.accounts.listAccounts({ limit: 5, nameOrId })).accounts.map(({ id }) => id);
  expect([await found("A"), await found(ids[1]!), await found("C")]).toEqual([[ids[0], ids[2]], [ids[1]], []]);

  const accountId = ids[0]!;
  const keys: string[] = [];
  for (let n = 0; n < 3; n++)
    keys.push((await gateway.accounts.createKey(newKey(accountId), await gateway.begin())).id);
  const page = await gateway.accounts.listKeys({ accountId, limit: 2 });
  const rest = await gateway.accounts.listKeys({ accountId, limit: 2, after: page.nextCursor! });
  expect([...page.keys, ...rest.keys].map(({ id }) => id)).toEqual(keys);
});

test("an erasure begins once the account has been suspended for a minute, and from then on nothing is created or resumed", async () => {
  const accountId = await newAccount("Gone");
  const act = await gateway.begin("account erase");
  const erase = () => codeOf(gateway.accounts.beginErasing({ accountId }, act));
  expect(await erase()).toBe("invalid_request");
  await gateway.accounts.setSuspended({ accountId, suspended: true }, act);
  expect(await erase()).toBe("invalid_request");
  expect(await codeOf(gateway.accounts.endErasing({ accountId }, act))).toBe("invalid_request");
  await gateway.db.run(
    sql`UPDATE accounts SET suspended_at = suspended_at - interval '1 minute' WHERE id = ${accountId}`,
  );
  expect(await erase()).toBe("done");
  expect(await codeOf(gateway.accounts.createKey(newKey(accountId), await gateway.begin()))).toBe("not_found");
  expect(await codeOf(gateway.accounts.setSuspended({ accountId, suspended: false }, act))).toBe("not_found");
  expect(
    (await gateway.accounts.listAccounts({ limit: 5, nameOrId: accountId, withoutErased: true })).accounts,
  ).toEqual([]);
});

test.each([
  ["listAccounts", { limit: 0 }, "limit"],
  ["listAccounts", { limit: 101 }, "limit"],
  ["listAccounts", { limit: 1, after: "acc" }, "after"],
  ["listAccounts", { limit: 1, nameOrId: "x".repeat(256) }, "nameOrId"],
  ["listActs", { limit: 101 }, "limit"],
  ["listKeys", { accountId: "acc_1", limit: 101 }, "limit"],
  ["listRequests", { caller: { accountId: "acc_1", environment: "live" }, limit: 101 }, "limit"],
  ["getClaim", { caller: { accountId: "acc_1", environment: "live" }, idempotencyKey: "" }, "idempotencyKey"],
  ["getRequest", { id: "" }, "id"],
  ["beginAct", {}, "act"],
  ["endAct", { id: "act_1" }, "id"],
] as const)("%s refuses %j with the field at fault", async (method, request, field) => {
  const call = gateway.accounts[method] as (request: unknown) => Promise<unknown>;
  const failure = failureIn(await call(request).catch((error) => error));
  expect(failure).toMatchObject({ code: "invalid_request", fields: [{ path: field }] });
});
