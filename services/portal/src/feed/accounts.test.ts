import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { countIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";
import { accessUnderTest } from "../testing/access-under-test.js";
import { portalDatabase } from "../testing/portal-database.js";
import { beginErasing, requireAccount, upsertAccounts } from "./accounts.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
let gateway: ReturnType<typeof accessUnderTest>;
beforeEach(async () => {
  portal = await portalDatabase();
  gateway = accessUnderTest();
});
afterEach(() => portal.drop());

const deps = () => ({ db: portal.db, access: gateway.access });
const stored = (id: string) => portal.prisma.account.findUnique({ where: { id } });
const describeAccount = (account: { id: string; name: string; suspendedAt?: string }, readAt: string) =>
  upsertAccounts(portal, [{ $typeName: "shipping.access.v1.Account", ...account }], readAt);

test("an account that is new here is fetched from the gateway once", async () => {
  const id = gateway.change("account.created", { suspendedAt: "2026-03-02T10:00:00.000Z" });
  await Promise.all([requireAccount(deps(), id), requireAccount(deps(), id)]);
  expect(await stored(id)).toMatchObject({ name: "Acme", suspendedAt: new Date("2026-03-02T10:00:00.000Z") });
  gateway.away.add("getAccount");
  await requireAccount(deps(), id);
});

test.each([
  ["does not exist", () => "acc_none"],
  ["is being erased", () => gateway.change("account.erasing", { erasingSince: "2026-03-03T10:00:00.000Z" })],
])("an account that %s is refused", async (_, make) => {
  const id = make();
  await expect(requireAccount(deps(), id)).rejects.toMatchObject({ code: "not_found" });
  expect(await stored(id)).toBeNull();
});

test("a later description of an account is not replaced by an earlier one that arrives after it", async () => {
  const [early, late] = ["2026-03-01T10:00:00.000Z", "2026-03-01T10:00:01.000Z"];
  await describeAccount({ id: "acc_1", name: "Acme", suspendedAt: late }, late);
  await describeAccount({ id: "acc_1", name: "Acme" }, early);
  expect(await stored("acc_1")).toMatchObject({ suspendedAt: new Date(late) });
  await describeAccount({ id: "acc_1", name: "Acme" }, late);
  expect(await stored("acc_1")).toMatchObject({ suspendedAt: null });
});

test("an account has at most 100 members, and keeps an admin until it is erased; then nothing of it is left", async () => {
  const id = gateway.change("account.created");
  await requireAccount(deps(), id);
  const add = (n: number) =>
    portal.db.run(sql`
      INSERT INTO account_members (id, account_id, email, role, created_at)
      VALUES (${`mem_${n}`}, ${id}, ${`${n}@example.com`}, ${n === 0 ? "admin" : "viewer"}, now())`);
  const added = await Promise.allSettled(Array.from({ length: 103 }, (_, n) => add(n)));
  expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
  await add(0).catch(() => undefined);
  await portal.db.run(sql`UPDATE account_members SET role = 'admin' WHERE id = (SELECT min(id) FROM account_members)`);
  const removeAdmins = () => portal.db.run(sql`DELETE FROM account_members WHERE role = 'admin'`);
  await expect(removeAdmins()).rejects.toThrow("would have no admin");
  await beginErasing(portal, id);
  await removeAdmins();
  await portal.erase(id);
  expect([await stored(id), await countIn(portal.db, "account_members")]).toEqual([null, 0]);
});

test("a statement that writes an entry when an erasure begins has ended before anything is erased", async () => {
  const id = gateway.change("account.created");
  await requireAccount(deps(), id);
  const writer = await openTransaction(portal.db);
  let beginning = Promise.resolve();
  try {
    await writer.query("INSERT INTO audit_entries SELECT 'aud', $1, now(), '', '', NULL, '', '', ''", [id]);
    beginning = beginErasing(portal, id);
    await eventually(async () => {
      const [row] = await portal.db.run<{ count: bigint }>(sql`
        SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
      expect(row?.count).toBe(1n);
    });
    await writer.query("COMMIT");
  } finally {
    writer.release();
  }
  await beginning;
  expect(await countIn(portal.db, "audit_entries", { accountId: id })).toBe(1);
});
