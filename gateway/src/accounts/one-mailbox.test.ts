import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import sql from "sql-template-tag";
import { canonicalAddress } from "../mail/address.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAccount } from "./manage-accounts.js";
import { addMember, getMember } from "./manage-members.js";

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
