import { OPERATOR } from "@shipping/kit/caller";
import { portalDatabase } from "../testing/portal-database.js";
import { inviteMember } from "./invite-members.js";
import { addMember, changeRole, createSignInLink, getMember, listMembers, removeMember } from "./manage-members.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());

const newAccount = () => portal.newAccount();
const add = (accountId: string, email: string) => addMember(portal, { accountId, email, role: "viewer" });
const actionsOf = async (accountId: string) =>
  (await portal.prisma.auditEntry.findMany({ where: { accountId } })).map(({ action }) => action);

test("an account has at most 100 members, invited ones included: of 110 that are added at once, 100 are", async () => {
  const accountId = await newAccount();
  const added = await Promise.allSettled(
    Array.from({ length: 110 }, (_, n) => add(accountId, `person-${n}@example.com`)),
  );
  const refused = added.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  expect(refused).toHaveLength(10);
  for (const reason of refused) expect(reason).toContain(`${accountId} already has 100 members, the maximum.`);
  expect(await portal.prisma.accountMember.count({ where: { accountId } })).toBe(100);
  const invited = {
    accountId,
    email: "bob@example.com",
    formId: "form_1",
    role: "viewer",
    origin: "https://a",
  } as const;
  await expect(inviteMember(portal, invited, OPERATOR)).rejects.toThrow("100 members, the maximum");
  const { id } = await portal.prisma.accountMember.findFirstOrThrow({ where: { accountId } });
  await removeMember(portal, { accountId, id });
  await add(accountId, "one-more@example.com");
  await add(await newAccount(), "elsewhere@example.com");
});

test("one of ten concurrent requests adds a person, and one of ten removes them; each change has one audit entry", async () => {
  const accountId = await newAccount();
  const added = await Promise.allSettled(Array.from({ length: 10 }, () => add(accountId, "ada@example.com")));
  const reasons = added.flatMap((each) => (each.status === "rejected" ? [(each.reason as Error).message] : []));
  expect(reasons).toEqual(Array(9).fill(`ada@example.com is a member of ${accountId} already.`));
  const remove = () => removeMember(portal, { accountId, email: "ada@example.com" });
  await Promise.allSettled(Array.from({ length: 10 }, remove));
  expect((await actionsOf(accountId)).sort()).toEqual(["member.added", "member.removed"]);
});

describe("an account keeps an admin", () => {
  const admin = (accountId: string, email: string) => addMember(portal, { accountId, email, role: "admin" });
  const emailsOf = async (accountId: string) => (await listMembers(portal, accountId)).map(({ email }) => email);
  const ONLY =
    "You can't remove the last admin, ada@example.com, or make them a viewer. Make another member an admin first.";

  test("the last admin is neither removed nor made a viewer, and no audit entry is written", async () => {
    const accountId = await newAccount();
    await add(accountId, "viewer@example.com");
    const { id } = await admin(accountId, "ada@example.com");
    await expect(removeMember(portal, { accountId, email: "ada@example.com" })).rejects.toThrow(ONLY);
    await expect(changeRole(portal, { accountId, id, role: "viewer" })).rejects.toThrow(ONLY);
    expect((await emailsOf(accountId)).sort()).toEqual(["ada@example.com", "viewer@example.com"]);
    expect(await actionsOf(accountId)).toEqual(["member.added", "member.added"]);
  });

  test.each([
    ["remove each other", (a: { accountId: string; id: string }) => removeMember(portal, a)],
    ["make each other viewers", (a: { accountId: string; id: string }) => changeRole(portal, { ...a, role: "viewer" })],
  ])("of two who %s at once one stays, ten times out of ten", async (_case, end) => {
    for (let round = 0; round < 10; round++) {
      const accountId = await newAccount();
      const both = [await admin(accountId, "ada@example.com"), await admin(accountId, "bob@example.com")];
      const ended = await Promise.allSettled(both.map(({ id }) => end({ accountId, id })));
      expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await portal.prisma.accountMember.count({ where: { accountId, role: "admin" } })).toBe(1);
    }
  });

  test("an invited admin who has not signed in does not count, and can be removed", async () => {
    const accountId = await newAccount();
    const [ada, bob] = [await admin(accountId, "ada@example.com"), await admin(accountId, "bob@example.com")];
    await portal.prisma.accountMember.update({ where: { id: bob.id }, data: { invitedAt: new Date() } });
    await expect(removeMember(portal, { accountId, id: ada.id })).rejects.toThrow(ONLY);
    await removeMember(portal, { accountId, id: bob.id });
    expect(await emailsOf(accountId)).toEqual(["ada@example.com"]);
  });
});

test("a role is changed once, however often it is asked, and says from what to what", async () => {
  const accountId = await newAccount();
  const { id } = await add(accountId, "bob@example.com");
  await Promise.all(Array.from({ length: 5 }, () => changeRole(portal, { accountId, id, role: "admin" })));
  const entries = await portal.prisma.auditEntry.findMany({ where: { accountId, action: "member.role_changed" } });
  expect(entries.map(({ detail, actor }) => [detail, actor])).toEqual([
    ["bob@example.com: from viewer to admin", "operator"],
  ]);
});

test("a member of another account is not found, by id or by email", async () => {
  const [accountId, foreign] = [await newAccount(), await newAccount()];
  const { id } = await add(foreign, "bob@example.com");
  for (const ref of [{ id }, { email: "bob@example.com" }]) {
    await expect(removeMember(portal, { accountId, ...ref })).rejects.toMatchObject({ code: "not_found" });
    await expect(changeRole(portal, { accountId, ...ref, role: "admin" })).rejects.toMatchObject({
      code: "not_found",
    });
  }
  await expect(createSignInLink(portal, { accountId, origin: "http://127.0.0.1" })).rejects.toThrow("no admin");
});

const SPELLINGS = ["ada@münchen.example", "ada@xn--mnchen-3ya.example", "Ada@mu\u0308nchen。example."] as const;

test.each(SPELLINGS)("somebody added as %s is found under each spelling, and added once", async (spelling) => {
  const accountId = await newAccount();
  const { id } = await addMember(portal, { accountId, email: spelling, role: "viewer" });
  for (const email of SPELLINGS) {
    expect(await getMember(portal, { accountId, email })).toMatchObject({ id });
    const again = addMember(portal, { accountId, email, role: "admin" });
    await expect(again).rejects.toThrow("is a member of");
  }
});
