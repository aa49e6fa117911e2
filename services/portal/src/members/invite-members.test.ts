import { randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import sql from "sql-template-tag";
import { portalDatabase } from "../testing/portal-database.js";
import { countMail } from "./count-mails.js";
import { declineInvitation, findInvitation } from "./decline-invitations.js";
import { INVITATIONS_PER_HOUR, inviteAgain, inviteMember } from "./invite-members.js";
import { addMember, createSignInLink, listMembers, removeMember } from "./manage-members.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());

const HOUR_MS = 3_600_000;
const actor = { name: "ada@example.com", source: "192.0.2.1" };
const newAccount = () => portal.newAccount();
const newFormId = () => newId("form", randomBytes);
const wanted = (accountId: string, email = "bob@example.com", formId = newFormId()) => ({
  ...{ accountId, email, formId, role: "viewer" as const, origin: "https://ship.example" },
});
const invite = (of: ReturnType<typeof wanted>, deps = portal) => inviteMember(deps, of, actor);
const tokenIn = (url = "") => url.slice(-43);
const again = (accountId: string, id: string, deps = portal, formId = newFormId()) =>
  inviteAgain(deps, { accountId, id, formId, origin: "https://ship.example" }, actor);
const linksOf = async (id: string) =>
  (await portal.db.run(sql`SELECT FROM sign_in_links WHERE member_id = ${id}`)).length;
const entriesOf = async (accountId: string) =>
  (await portal.prisma.auditEntry.findMany({ where: { accountId } })).map((entry) => [
    entry.action,
    entry.detail,
    entry.actor,
    entry.source,
  ]);

test("an invitation creates a member who has not signed in, a link for seven days, and an audit entry", async () => {
  const accountId = await newAccount();
  const { id, url, expiresAt } = await invite(wanted(accountId, " Bob@Example.com "));
  expect(url).toMatch(/^https:\/\/ship\.example\/developers\/sign-in\/link#[\w-]{43}$/);
  expect(Math.round((expiresAt.getTime() - Date.now()) / HOUR_MS)).toBe(7 * 24);
  expect(await listMembers(portal, accountId)).toMatchObject([
    { id, email: "bob@example.com", invitedAt: expect.any(Date) },
  ]);
  expect(await linksOf(id)).toBe(1);
  expect(await entriesOf(accountId)).toEqual([
    ["member.invited", "bob@example.com as viewer", "ada@example.com", "192.0.2.1"],
  ]);
});

test("the same form, sent ten times at once, makes one member and one link; another form for the same person is refused", async () => {
  const accountId = await newAccount();
  const of = wanted(accountId);
  const sent = await Promise.allSettled(Array.from({ length: 10 }, () => invite(of)));
  const codes = sent.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
  expect(codes).toEqual(Array(9).fill("idempotency_conflict"));
  await expect(invite(wanted(accountId))).rejects.toThrow("bob@example.com is already a member.");
  const [{ id } = { id: "" }, ...others] = await listMembers(portal, accountId);
  expect([others, await linksOf(id), (await entriesOf(accountId)).length]).toEqual([[], 1, 1]);
});

test("a new invitation ends the link before, once per form, and not a link that the person asked for", async () => {
  const accountId = await newAccount();
  const { id, url } = await invite(wanted(accountId));
  await portal.db.run(
    sql`INSERT INTO sign_in_links (hash, member_id, expires_at) VALUES (${randomBytes(32)}, ${id}, ${new Date()})`,
  );
  const formId = newFormId();
  const once = () => again(accountId, id, portal, formId);
  expect((await once()).url).not.toBe(url);
  await expect(once()).rejects.toMatchObject({ code: "idempotency_conflict" });
  expect(await linksOf(id)).toBe(2);
  expect((await entriesOf(accountId)).map(([action]) => action).sort()).toEqual([
    "member.invited",
    "member.invited_again",
  ]);
});

test("a member who has signed in, was removed or belongs to another account is not invited again", async () => {
  const [accountId, foreign] = [await newAccount(), await newAccount()];
  const { id: come } = await addMember(portal, { accountId, email: "ada@example.com", role: "admin" });
  await expect(again(accountId, come)).rejects.toThrow("has already signed in");
  const { id } = await invite(wanted(accountId));
  await expect(again(foreign, id)).rejects.toMatchObject({ code: "not_found" });
  await removeMember(portal, { accountId, id });
  await expect(again(accountId, id)).rejects.toMatchObject({ code: "not_found" });
  expect(await linksOf(id)).toBe(0);
});

const later = (clockOffsetMs: number) => ({ ...portal, clockOffsetMs });
/** Milliseconds until the next window of this length begins. */
async function untilNext(windowMs: number): Promise<number> {
  const [row] = await portal.db.run<{ now: Date }>(sql`SELECT clock_timestamp() AS now`);
  return windowMs - (row!.now.getTime() % windowMs);
}
test("an account sends 50 invitations in an hour, resent ones included, and more in the next; others are not held up", async () => {
  const [accountId, other] = [await newAccount(), await newAccount()];
  const nextHour = await untilNext(HOUR_MS);
  const first = later(nextHour);
  const { id } = await invite(wanted(accountId), first);
  await again(accountId, id, first);
  for (let n = 2; n < INVITATIONS_PER_HOUR; n++) await invite(wanted(accountId, `${n}@example.com`), first);
  await expect(again(accountId, id, first)).rejects.toThrow("up to 50 invitations an hour");
  const one = wanted(accountId, "one@example.com");
  await expect(invite(one, later(nextHour + HOUR_MS / 2))).rejects.toMatchObject({ code: "rate_limited" });
  await invite(wanted(other), first);
  await invite(one, later(nextHour + HOUR_MS));
});

describe("a recipient", () => {
  test("gets three invitations to an account in a day, of fifty that are sent at once, too; removed and added again, no more", async () => {
    const [accountId, other] = [await newAccount(), await newAccount()];
    const nextDay = await untilNext(24 * HOUR_MS);
    const today = later(nextDay);
    const { id } = await invite(wanted(accountId), today);
    const sent = await Promise.allSettled(Array.from({ length: 20 }, () => again(accountId, id, today)));
    expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    await expect(again(accountId, id, later(nextDay + 23 * HOUR_MS))).rejects.toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("bob@example.com has been sent 3 invitations to this account today"),
    });
    await removeMember(portal, { accountId, id });
    await expect(invite(wanted(accountId), today)).rejects.toMatchObject({ code: "rate_limited" });
    expect(await listMembers(portal, accountId)).toEqual([]);
    await invite(wanted(other), today);
    await invite(wanted(accountId), later(nextDay + 24 * HOUR_MS));
  });

  test("a person who declines is removed, appears in the audit log, and is not invited again until the operator adds them", async () => {
    const accountId = await newAccount();
    const { id, url } = await invite(wanted(accountId));
    const token = tokenIn(url);
    const invitation = (await findInvitation(portal, token))!;
    expect(invitation).toMatchObject({ memberId: id, accountName: "Acme", email: "bob@example.com" });
    const both = [1, 2].map(() => declineInvitation(portal, invitation, "192.0.2.9"));
    expect((await Promise.all(both)).sort()).toEqual([false, true]);
    expect([await listMembers(portal, accountId), await findInvitation(portal, token)]).toEqual([[], undefined]);
    expect(await entriesOf(accountId)).toContainEqual([
      ...["member.invitation_declined", "bob@example.com", "bob@example.com", "192.0.2.9"],
    ]);
    await expect(invite(wanted(accountId, "BOB@example.com."))).rejects.toThrow("bob@example.com has declined");
    await invite(wanted(await newAccount()));
    const added = await addMember(portal, { accountId, email: "bob@example.com", role: "viewer" });
    await removeMember(portal, { accountId, id: added.id });
    await invite(wanted(accountId));
  });

  test("declines by an invitation that has not expired, and by no link that they requested", async () => {
    const accountId = await newAccount();
    const { email, url: invitation } = await invite(wanted(accountId));
    const token = tokenIn(invitation);
    const { url } = await createSignInLink(portal, { accountId, email, origin: "https://ship.example" });
    expect(await findInvitation(portal, url.slice(-43))).toBeUndefined();
    expect(await findInvitation(later(6.9 * 24 * HOUR_MS), token)).toBeDefined();
    expect(await findInvitation(later(7 * 24 * HOUR_MS), token)).toBeUndefined();
  });

  test("a member who has signed in cannot decline an invitation", async () => {
    const accountId = await newAccount();
    const { id, url } = await invite(wanted(accountId));
    const token = tokenIn(url);
    const invitation = (await findInvitation(portal, token))!;
    await portal.prisma.accountMember.update({ where: { id }, data: { invitedAt: null } });
    expect(await findInvitation(portal, token)).toBeUndefined();
    expect(await declineInvitation(portal, invitation, "192.0.2.9")).toBe(false);
  });
});

describe("the limit of emails", () => {
  const limit = { name: "source:192.0.2.1", most: 2, minutes: 24 * 60 };
  const count = () => countMail({ db: portal.db, clockOffsetMs: 0 }, limit);
  /** Identifies the last transactions that wrote or locked the row: PostgreSQL stores their numbers in it. */
  const marks = () =>
    portal.db.run(sql`SELECT xmin::text, xmax::text, count FROM mail_counts WHERE name = ${limit.name}`);

  test("holds for many concurrent ones; above it, no row is written, so that attempts do not wait for the disk", async () => {
    const counts = await Promise.all(Array.from({ length: 12 }, count));
    expect(counts.filter((counted) => counted > 0).sort()).toEqual([1, 2]);
    const before = await marks();
    expect(before).toMatchObject([{ count: 2 }]);
    expect([await count(), await count()]).toEqual([0, 0]);
    expect(await marks()).toEqual(before);
  });
});
