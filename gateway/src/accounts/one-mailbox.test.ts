import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import sql from "sql-template-tag";
import { gatewayMigrations } from "../database/deps.js";
import { canonicalAddress } from "../mail/address.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAccount } from "./manage-accounts.js";
import { addMember, getMember, listMembers } from "./manage-members.js";

const MIGRATION = "20261125190000_one_address_per_mailbox";
const SPELLINGS = ["ada@münchen.example", "ada@xn--mnchen-3ya.example", "Ada@mu\u0308nchen。example."] as const;

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const newAccount = async () => (await createAccount(gateway.admin, { name: "Acme" })).id;

test.each(SPELLINGS)("somebody added as %s is found under each spelling, and added once", async (spelling) => {
  const accountId = await newAccount();
  const { id } = await addMember(gateway.admin, { accountId, email: spelling, role: "viewer" });
  for (const email of SPELLINGS) {
    expect(await getMember(gateway.admin, { accountId, email })).toMatchObject({ id });
    const again = addMember(gateway.admin, { accountId, email, role: "admin" });
    await expect(again).rejects.toThrow("is a member of");
  }
});

test("the database spells what it is given, in the same way", async () => {
  const letters = fc.string({ unit: fc.constantFrom(..."aßzé\u0301üж漢字ｂ9-😀"), minLength: 1, maxLength: 12 });
  const addresses = fc.sample(
    fc.tuple(letters, letters, fc.constantFrom(".", "。", "．", "｡"), fc.constantFrom("", ".", "。")),
    runs(200),
  );
  const typed = addresses.map(([local, label, dot, end]) => `${local}@${label}${dot}example${end}`);
  const accepted = typed.filter((address) => canonicalAddress(address) !== undefined);
  const rows = await gateway.db.run<{ spelled: string }>(
    sql`SELECT canonical_address(lower(address)) AS spelled FROM unnest(${accepted}::text[]) WITH ORDINALITY AS a (address, at) ORDER BY at`,
  );
  expect(rows.map(({ spelled }) => spelled)).toEqual(accepted.map(canonicalAddress));
  expect(accepted.length).toBeGreaterThan(20);
});

test("the migration makes one member of several, keeps who has come and may most, and says so", async () => {
  const [accountId, other] = [await newAccount(), await newAccount()];
  const script = await readFile(join(gatewayMigrations, "migrations", MIGRATION, "migration.sql"), "utf8");
  const { pool } = gateway.db;
  let added = Date.now();
  await pool.query("DROP TRIGGER spell_address ON account_members");
  const add = (
    id: string,
    email: string,
    role: string,
    rest: { invited?: boolean; subject?: string; account?: string } = {},
  ) =>
    pool.query(
      `INSERT INTO account_members (id, account_id, email, role, issuer, subject, created_at, invited_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        `mem_${id.padEnd(26, "a")}`,
        rest.account ?? accountId,
        email,
        role,
        rest.subject && "https://id.example",
        rest.subject ?? null,
        new Date(added++),
        rest.invited ? new Date() : null,
      ],
    );
  await add("invited", "ada@xn--mnchen-3ya.example", "admin", { invited: true });
  await add("viewer", "ada@münchen.example", "viewer", { subject: "ada" });
  await add("admin", "ada@mu\u0308nchen.example.", "admin");
  await add("alone", "bob@example.com", "viewer");
  await add("elsewhere", "ada@münchen.example", "viewer", { account: other });
  await add("dots", "eve@a..example", "viewer", { account: other });

  for (let times = 0; times < 2; times++) await pool.query(script);
  const bound = { email: "ada@xn--mnchen-3ya.example", role: "admin", bound: true, invitedAt: null };
  expect(await listMembers(gateway.admin, accountId)).toMatchObject([bound, { email: "bob@example.com" }]);
  expect(await listMembers(gateway.admin, other)).toMatchObject([
    { email: "ada@xn--mnchen-3ya.example", bound: false },
    { email: "eve@a..example" },
  ]);
  const entries = await gateway.prisma.auditEntry.findMany({ where: { accountId }, orderBy: { at: "asc" } });
  expect(entries.map(({ action, detail, source }) => [action, detail, source]).sort()).toEqual([
    ["member.address_normalized", "ada@mu\u0308nchen.example. is now ada@xn--mnchen-3ya.example", "migration"],
    ["member.merged", "ada@münchen.example as viewer is the same mailbox as ada@xn--mnchen-3ya.example", "migration"],
    [
      "member.merged",
      "ada@xn--mnchen-3ya.example as admin is the same mailbox as ada@xn--mnchen-3ya.example",
      "migration",
    ],
  ]);
});
