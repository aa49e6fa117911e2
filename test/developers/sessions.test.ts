import { useArea } from "./area.js";
import { auditOf, pathOf } from "./member-list.js";
import type { Visitor } from "./visitor.js";

const area = useArea();

const SESSIONS = "/developers/sessions";
const OVERVIEW = "/developers/sandbox";
const PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1";

/** Another browser of a member. */
async function signInAgain(who: { accountId: string; email: string }): Promise<Visitor> {
  const { path } = await area.newLink(who);
  const visitor = area.visitor();
  await visitor.post(path, {}, { headers: { "user-agent": PHONE } });
  return visitor;
}

const statusOf = async (visitor: Visitor) => (await visitor.get(OVERVIEW)).status;
const idIn = (html: string) => /name="session" value="([0-9a-f]{16})"/.exec(html)?.[1] ?? "none";

test("members see where they are signed in, and end a session that is not theirs", async () => {
  const mine = await area.signIn({ role: "viewer" });
  const other = await signInAgain(mine);
  const { html } = await mine.visitor.get(SESSIONS);
  expect(html).toMatch(/Safari on iOS[\s\S]*127\.0\.0\.1/);
  expect(html.match(/This device/g)).toHaveLength(1);
  expect(await mine.visitor.post(SESSIONS, { session: idIn(html) })).toMatchObject({ status: 303, location: SESSIONS });
  expect([await statusOf(mine.visitor), await statusOf(other)]).toEqual([200, 401]);
  const admin = await area.signIn({ accountId: mine.accountId });
  expect(await auditOf(admin.visitor)).toContain(`${mine.email} | Session ended | ${mine.email} | 127.0.0.1`);
});

test("a member's session is ended by no other member", async () => {
  const mine = await area.signIn();
  await signInAgain(mine);
  const id = idIn((await mine.visitor.get(SESSIONS)).html);
  const { visitor } = await area.signIn({ accountId: mine.accountId });
  await visitor.post(SESSIONS, { session: id });
  expect(idIn((await mine.visitor.get(SESSIONS)).html)).toBe(id);
});

test("members sign out everywhere, which the audit log says once", async () => {
  const mine = await area.signIn();
  const other = await signInAgain(mine);
  expect(await mine.visitor.post(SESSIONS)).toMatchObject({ status: 303, location: "/developers" });
  expect([mine.visitor.cookies(), await statusOf(other)]).toEqual([expect.not.stringContaining("session="), 401]);
  const admin = await area.signIn({ accountId: mine.accountId });
  const entries = (await auditOf(admin.visitor)).filter((entry) => entry.includes("Signed out everywhere"));
  expect(entries).toEqual([`${mine.email} | Signed out everywhere | ${mine.email} | 127.0.0.1`]);
});

test("a sign-out ends the session at once, wherever its cookie is, and is in the audit log once", async () => {
  const mine = await area.signIn();
  const cookie = mine.visitor.cookies();
  for (let times = 0; times < 2; times++) expect((await mine.visitor.post("/developers/sign-out")).status).toBe(303);
  expect(mine.visitor.cookies()).not.toContain("session=");
  expect((await area.visitor().get(OVERVIEW, { cookie })).status).toBe(401);
  const admin = await area.signIn({ accountId: mine.accountId });
  const entries = (await auditOf(admin.visitor)).filter((entry) => entry.includes("Session ended"));
  expect(entries).toEqual([`${mine.email} | Session ended | ${mine.email} | 127.0.0.1`]);
});

test("admins see the sessions of a member and end all of them", async () => {
  const admin = await area.signIn();
  const member = await area.signIn({ accountId: admin.accountId, role: "viewer" });
  const other = await signInAgain(member);
  const path = await pathOf(admin.visitor, member.email, "sessions");
  expect((await admin.visitor.get(path)).html).toMatch(/Safari on iOS[\s\S]*127\.0\.0\.1/);
  for (let times = 0; times < 2; times++) expect((await admin.visitor.submit(`${path}/end`)).status).toBe(303);
  expect([await statusOf(member.visitor), await statusOf(other), await statusOf(admin.visitor)]).toEqual([
    401, 401, 200,
  ]);
  expect((await admin.visitor.get(path)).html).toContain("is not signed in");
  const entries = (await auditOf(admin.visitor)).filter((entry) => entry.includes("Signed out everywhere"));
  expect(entries).toEqual([`${admin.email} | Signed out everywhere | ${member.email} | 127.0.0.1`]);
});
