import type { Caller } from "@shipping/kit/caller";
import { newCaller } from "@shipping/kit/testing/writes";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAccount } from "./manage-accounts.js";
import { createKey, findKeys, revokeKey } from "./manage-keys.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const times = <T>(count: number, run: (n: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => run(n)));
const reasons = (settled: PromiseSettledResult<unknown>[]) =>
  settled.flatMap((each) => (each.status === "rejected" ? [(each.reason as Error).message] : []));

async function newAccount(): Promise<string> {
  return (await createAccount(gateway.admin, { name: "Acme" })).id;
}

const entriesOf = (accountId: string) => gateway.prisma.auditEntry.findMany({ where: { accountId } });

describe("at most 50 keys of an account and environment are active", () => {
  const refusal = "This account already has 50 active sandbox keys, the maximum. Revoke one first.";
  const create = (accountId: string, environment: "sandbox" | "live" = "sandbox") =>
    createKey(gateway.admin, { accountId, environment });

  test("of 70 concurrent creations 50 succeed; those of the other environment, of other accounts, expired and revoked do not count", async () => {
    const accountId = await newAccount();
    expect(reasons(await times(70, () => create(accountId)))).toEqual(Array(20).fill(refusal));
    expect(await gateway.prisma.apiKey.count({ where: { accountId } })).toBe(50);
    expect(await entriesOf(accountId)).toHaveLength(50);
    await create(accountId, "live");
    await create(await newAccount());
    await createKey(gateway.admin, { accountId, environment: "sandbox", expiresInMs: -1 });
    await expect(create(accountId)).rejects.toThrow(refusal);

    const [first, second] = await gateway.prisma.apiKey.findMany({
      where: { accountId, environment: "sandbox", expiresAt: null },
    });
    await revokeKey(gateway.admin, { id: first!.id });
    await gateway.prisma.apiKey.update({ where: { id: second!.id }, data: { expiresAt: new Date() } });
    expect(reasons(await times(3, () => create(accountId)))).toEqual([refusal]);
  });
});

describe("a key, its window and its audit entry are one statement", () => {
  test("a form creates one key, however often it is sent, at the limit too", async () => {
    const accountId = await newAccount();
    const form = (formId: string) => () => createKey(gateway.admin, { accountId, environment: "sandbox", formId });
    expect(reasons(await times(10, form("form_1")))).toEqual(
      Array(9).fill("The key from this form has already been created."),
    );
    await times(49, (n) => form(`form_${n + 2}`)());
    await expect(form("form_1")()).rejects.toThrow("The key from this form has already been created.");
    expect(await entriesOf(accountId)).toHaveLength(50);
  });

  test("no key is created if the audit entry cannot be written", async () => {
    const accountId = await newAccount();
    const nobody = { name: null as unknown as string, source: "command line" };
    await expect(createKey(gateway.admin, { accountId, environment: "sandbox" }, nobody)).rejects.toThrow(
      'null value in column "actor"',
    );
    expect(await gateway.prisma.apiKey.count({ where: { accountId } })).toBe(0);
  });

  test("ten concurrent revocations write one audit entry and return the same time", async () => {
    const { id, accountId } = await gateway.newKey();
    const revoked = await Promise.all(Array.from({ length: 10 }, () => revokeKey(gateway.admin, { id })));
    expect(new Set(revoked.map(({ revokedAt }) => revokedAt.toISOString())).size).toBe(1);
    expect((await entriesOf(accountId)).map(({ action }) => action).sort()).toEqual(["key.created", "key.revoked"]);
  });
});

const found = async (caller: Caller, text: string) => (await findKeys(gateway, caller, text)).map(({ id }) => id);

test("a key is found by its id, its last four characters and how its name begins, whatever its case", async () => {
  const { id, key, accountId } = await gateway.newKey({ name: "Lager 100% Süd" });
  const second = await gateway.newKey({ accountId, name: "lager Nord" });
  const caller = { accountId, environment: "sandbox" } as const;
  expect(await found(caller, id)).toEqual([id]);
  expect(await found(caller, key.slice(-4))).toEqual([id]);
  expect((await found(caller, "LAGER")).sort()).toEqual([id, second.id].sort());
  expect(await found(caller, "lager 100%")).toEqual([id]);
  for (const text of ["%", "_ager", "Süd", key]) expect(await found(caller, text)).toEqual([]);
  expect((await findKeys(gateway, caller, id))[0]).toMatchObject({ name: "Lager 100% Süd", revokedAt: null });
});

test("a key of another account or environment is not found", async () => {
  const { id, accountId } = await gateway.newKey();
  expect(await found({ accountId, environment: "live" }, id)).toEqual([]);
  expect(await found(newCaller(), id)).toEqual([]);
});

test("at most twenty keys are returned, newest first", async () => {
  const { accountId } = await gateway.newKey({ name: "a 0" });
  for (let n = 1; n <= 25; n++) await gateway.newKey({ accountId, name: `a ${n}` });
  await gateway.db.pool.query(
    "UPDATE api_keys SET created_at = now() + substr(name, 3)::integer * interval '1 second' WHERE account_id = $1",
    [accountId],
  );
  const keys = await findKeys(gateway, { accountId, environment: "sandbox" }, "a");
  expect(keys.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `a ${25 - index}`));
});
