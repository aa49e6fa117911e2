import { randomBytes } from "node:crypto";
import { exportPage } from "@shipping/kit/service/account-data";
import { openTransaction } from "@shipping/kit/testing/database";
import { portalAccountData } from "../database/account-data.js";
import { countMail } from "../members/count-mails.js";
import { addMember, createSignInLink, listMembers } from "../members/manage-members.js";
import { findSession, limitForms, setCookie, startSession } from "../session/session.js";
import { limitTests } from "../webhooks/send-test.js";
import { portalDatabase } from "./portal-database.js";
import {
  auditEntries,
  backUpFeeds,
  closeAuditLog,
  fillAccount,
  forgetSuspension,
  knowForAnHour,
  lockAccounts,
  openAuditLog,
  restoreFeeds,
  storedAccounts,
  waitingMails,
} from "./stored-accounts.js";
import {
  backdateMembers,
  linkToAnother,
  makeViewer,
  markInvited,
  memberOfLink,
  moveMembers,
  removeMember,
  storedMembers,
} from "./stored-members.js";
import {
  ageMailCounts,
  ageSessions,
  clearLimits,
  countForms,
  expireLinks,
  fillMailCount,
  fillTestCount,
  mailCounts,
  renewSessions,
} from "./stored-sessions.js";

// Tests of the whole platform write and read the portal's tables through these functions, so this file fails if a change makes one of them wrong.

const ORIGIN = "http://127.0.0.1";
const FROM = { source: "192.0.2.1", userAgent: "Firefox" };

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());

/** A member of a new account, with an email address that no other has. */
async function newMember() {
  const accountId = await portal.newAccount();
  const email = `${randomBytes(6).toString("hex")}@example.com`;
  const { id } = await addMember(portal, { accountId, email, role: "admin" });
  return { accountId, email, id };
}

/** A session of a member, and how the portal sees it now. */
async function newSession() {
  const member = await newMember();
  const deps = { ...portal, origin: () => ORIGIN };
  const token = await startSession(deps, member.id, { authenticatedAt: new Date() }, FROM);
  const cookie = setCookie("session", token, ORIGIN).split(";")[0];
  return { ...member, find: () => findSession(deps, cookie, FROM.source) };
}

describe("members", () => {
  test("are found in the order of their creation, and by email address", async () => {
    const { accountId, email } = await newMember();
    const later = await addMember(portal, { accountId, email: "later@example.com", role: "viewer" });
    expect((await storedMembers(portal.db, accountId)).map((one) => one.email)).toEqual([email, later.email]);
    expect(await storedMembers(portal.db, accountId, later.email)).toMatchObject([{ id: later.id, role: "viewer" }]);
  });

  test("change as the members' page shows them", async () => {
    const { accountId, email } = await newMember();
    const only = async () => (await listMembers(portal, accountId))[0]!;
    const { createdAt } = await only();
    await backdateMembers(portal.db, accountId, 2);
    expect(Date.parse(String(createdAt)) - Date.parse(String((await only()).createdAt))).toBe(2 * 86_400_000);
    await moveMembers(portal.db, { email }, `new-${email}`);
    expect(await only()).toMatchObject({ email: `new-${email}` });
    await moveMembers(portal.db, { accountId }, email);
    await markInvited(portal.db, accountId, { email, at: "2026-01-02T03:04:05Z", mail: "failed" });
    expect(await only()).toMatchObject({ email, invitationMail: "failed" });
    await markInvited(portal.db, accountId);
    await linkToAnother(portal.db, accountId, "https://id.example");
    expect(await storedMembers(portal.db, accountId)).toMatchObject([{ subject: "another" }]);
  });

  test("become viewers and are removed, while an admin is left", async () => {
    const { accountId, email } = await newMember();
    const admin = await addMember(portal, { accountId, email: "admin@example.com", role: "admin" });
    await makeViewer(portal.db, email);
    expect(await storedMembers(portal.db, accountId, email)).toMatchObject([{ role: "viewer" }]);
    await removeMember(portal.db, email);
    expect(await storedMembers(portal.db, accountId)).toMatchObject([{ id: admin.id }]);
  });

  test("have links, which name them and expire", async () => {
    const { accountId, email, id } = await newMember();
    const { url } = await createSignInLink(portal, { accountId, email, origin: ORIGIN });
    const token = url.split("#")[1] ?? "";
    expect(await memberOfLink(portal.db, token)).toMatchObject({ id, email });
    await expireLinks(portal.db, email);
    const [{ expired }] = (await portal.prisma
      .$queryRaw`SELECT bool_and(expires_at <= now()) AS expired FROM sign_in_links`) as [{ expired: boolean }];
    expect(expired).toBe(true);
  });
});

describe("sessions", () => {
  test("end after half an hour without a request, and after eight hours", async () => {
    for (const age of [{ seen: 30 }, { created: 8 * 60 }]) {
      const [session, other] = [await newSession(), await newSession()];
      await ageSessions(portal.db, age, session.email);
      expect([await session.find(), (await other.find())?.email]).toEqual([undefined, other.email]);
    }
  });

  test("have an authentication that ages, and count forms", async () => {
    const { email, find } = await newSession();
    expect(await find()).toMatchObject({ fresh: true });
    await ageSessions(portal.db, { authenticated: 15 }, email);
    const session = await find();
    expect(session).toMatchObject({ fresh: false });
    await limitForms(portal, session!);
    await countForms(portal.db, 100);
    await expect(limitForms(portal, session!)).rejects.toThrow("too many forms");
    await ageSessions(portal.db, { forms: 10 });
    await limitForms(portal, session!);
    await countForms(portal.db, 100);
    await renewSessions(portal.db);
    expect(await find()).toMatchObject({ fresh: true });
    await limitForms(portal, session!);
  });
});

test("counts of emails and tests are filled, aged and cleared", async () => {
  const limit = { name: "address:a", most: 2, minutes: 10 };
  expect(await countMail(portal, limit)).toBe(1);
  expect(await mailCounts(portal.db)).toHaveLength(1);
  await fillMailCount(portal.db, limit.name, 2);
  expect(await countMail(portal, limit)).toBe(0);
  await ageMailCounts(portal.db);
  await ageMailCounts(portal.db);
  expect(await countMail(portal, limit)).toBe(1);
  await clearLimits(portal.db);
  expect(await mailCounts(portal.db)).toEqual([]);
  await expect(fillMailCount(portal.db, limit.name, 2)).rejects.toThrow("address:a has 0 counts.");

  const accountId = await portal.newAccount();
  await limitTests(portal, accountId);
  await fillTestCount(portal.db, accountId, 10, 1);
  await limitTests(portal, accountId);
});

describe("accounts", () => {
  test("are as the gateway has described them, until the portal knows better", async () => {
    const id = await portal.newAccount();
    await portal.prisma.account.update({ where: { id }, data: { suspendedAt: new Date() } });
    expect(await storedAccounts(portal.db, id)).toMatchObject([{ id, suspendedAt: expect.any(Date) }]);
    await forgetSuspension(portal.db, id);
    await knowForAnHour(portal.db, id);
    const { suspendedAt, readAt } = await portal.prisma.account.findUniqueOrThrow({ where: { id } });
    expect([suspendedAt, readAt > new Date()]).toEqual([null, true]);
  });

  test("are read by nobody while they are locked", async () => {
    const client = await openTransaction(portal.db);
    await client.query(lockAccounts);
    const [held] = (await client.query("SELECT mode FROM pg_locks WHERE relation = 'accounts'::regclass")).rows;
    expect(held).toEqual({ mode: "AccessExclusiveLock" });
    await client.query("ROLLBACK");
    client.release();
  });

  test("have an audit log, which can be closed", async () => {
    const { accountId, email } = await newMember();
    expect(await auditEntries(portal.db, { accountId: [accountId], actor: ["operator"] })).toHaveLength(1);
    expect(await auditEntries(portal.db, { accountId, action: "member.added" })).toMatchObject([
      { actor: "operator", detail: expect.stringContaining(email) },
    ]);
    await closeAuditLog(portal.db);
    await expect(addMember(portal, { accountId, email: "a@example.com", role: "admin" })).rejects.toThrow();
    await openAuditLog(portal.db);
    await addMember(portal, { accountId, email: "a@example.com", role: "admin" });
  });

  test("are restored with their audit log", async () => {
    const { accountId } = await newMember();
    const backup = await backUpFeeds(portal.db);
    const before = await auditEntries(portal.db, { accountId });
    expect(before).toHaveLength(1);
    await restoreFeeds(portal.db, backup);
    expect(await auditEntries(portal.db, { accountId })).toEqual(before);
    expect(await storedMembers(portal.db, accountId)).toEqual([]);
  });

  test("are filled in every table that has data of accounts", async () => {
    const { accountId } = await newMember();
    await fillAccount(portal.db, accountId);
    expect(await waitingMails(portal.db)).toHaveLength(1);
    const filled: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await exportPage(portal.db, portalAccountData, { accountId, cursor });
      if (page.rows.length > 0) filled.push(page.table);
      cursor = page.nextCursor;
      if (!cursor) break;
    }
    expect([...new Set(filled)]).toEqual(portalAccountData.tables.map(({ name }) => name));
  });
});
