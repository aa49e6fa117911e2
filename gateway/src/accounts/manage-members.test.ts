import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAccount } from "./manage-accounts.js";
import { addMember, removeMember } from "./manage-members.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const newAccount = async () => (await createAccount(gateway.admin, { name: "Acme" })).id;
const add = (accountId: string, email: string) => addMember(gateway.admin, { accountId, email, role: "viewer" });
const actionsOf = async (accountId: string) =>
  (await gateway.prisma.auditEntry.findMany({ where: { accountId } })).map(({ action }) => action);

test("an account has at most 100 members: of 110 that are added at once, 100 are", async () => {
  const accountId = await newAccount();
  const added = await Promise.allSettled(
    Array.from({ length: 110 }, (_, n) => add(accountId, `person-${n}@example.com`)),
  );
  const refused = added.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  expect(refused).toHaveLength(10);
  for (const reason of refused) expect(reason).toContain(`${accountId} has 100 members, the most there may be.`);
  expect(await gateway.prisma.accountMember.count({ where: { accountId } })).toBe(100);
  await removeMember(gateway.admin, {
    accountId,
    email: (await gateway.prisma.accountMember.findFirstOrThrow({ where: { accountId } })).email,
  });
  await add(accountId, "one-more@example.com");
  await add(await newAccount(), "elsewhere@example.com");
});

test("of ten that add the same person at once one does, as of ten that remove them; each tells the audit log once", async () => {
  const accountId = await newAccount();
  const added = await Promise.allSettled(Array.from({ length: 10 }, () => add(accountId, "ada@example.com")));
  const reasons = added.flatMap((each) => (each.status === "rejected" ? [(each.reason as Error).message] : []));
  expect(reasons).toEqual(Array(9).fill(`ada@example.com is a member of ${accountId} already.`));
  const remove = () => removeMember(gateway.admin, { accountId, email: "ada@example.com" });
  await Promise.allSettled(Array.from({ length: 10 }, remove));
  expect((await actionsOf(accountId)).sort()).toEqual(["member.added", "member.removed"]);
});
