import { randomBytes } from "node:crypto";
import { newApiKey, scopes } from "@shipping/api/api-key";
import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAccount } from "./manage-accounts.js";
import { createKey, revokeKey, storeKey } from "./manage-keys.js";

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

/** Reads the changes of an account's keys that the gateway has recorded for the audit log. */
const keyChangesOf = (accountId: string) =>
  gateway.db.run<{ action: string }>(
    sql`SELECT action FROM account_changes WHERE account_id = ${accountId} AND action LIKE 'key.%' ORDER BY action`,
  );

describe("at most 50 keys of an account and environment are active", () => {
  const refusal = "This account already has 50 active sandbox keys, the maximum. Revoke one first.";
  const create = (accountId: string, environment: "sandbox" | "live" = "sandbox") =>
    createKey(gateway.admin, { accountId, environment });

  test("of 70 concurrent creations 50 succeed; those of the other environment, of other accounts, expired and revoked do not count", async () => {
    const accountId = await newAccount();
    expect(reasons(await times(70, () => create(accountId)))).toEqual(Array(20).fill(refusal));
    expect(await gateway.prisma.apiKey.count({ where: { accountId } })).toBe(50);
    expect(await keyChangesOf(accountId)).toHaveLength(50);
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

describe("a key, its window and its recorded change are one statement", () => {
  test("no key is created if its change cannot be recorded", async () => {
    const accountId = await newAccount();
    const nobody = { name: null as unknown as string, source: "command line" };
    const key = {
      id: "key_a",
      accountId,
      environment: "sandbox",
      scopes,
      ...newApiKey("sandbox", randomBytes),
    } as const;
    const account = sql`SELECT id FROM accounts WHERE id = ${accountId}`;
    await expect(storeKey(gateway.admin, key, nobody, account)).rejects.toThrow('null value in column "actor"');
    expect(await gateway.prisma.apiKey.count({ where: { accountId } })).toBe(0);
  });

  test("ten concurrent revocations record one change and return the same time", async () => {
    const { id, accountId } = await gateway.newKey();
    const revoked = await Promise.all(Array.from({ length: 10 }, () => revokeKey(gateway.admin, { id })));
    expect(new Set(revoked.map(({ revokedAt }) => revokedAt.toISOString())).size).toBe(1);
    expect(await keyChangesOf(accountId)).toEqual([{ action: "key.created" }, { action: "key.revoked" }]);
  });
});
