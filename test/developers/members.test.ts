import { randomBytes } from "node:crypto";
import { useArea } from "./area.js";
import { useMailbox } from "./mailbox.js";
import { fieldsOf, pathIn, secretIn, type Visitor } from "./visitor.js";

const mailbox = useMailbox();
const area = useArea({ mail: mailbox.route });
const silent = useArea({ logs: true });

const MEMBERS = "/developers/members";
const INVITE = `${MEMBERS}/invite`;
const newEmail = () => `${randomBytes(6).toString("hex")}@example.com`;

/** What the list says of somebody: the text of their row, and the paths in it. */
async function rowOf(visitor: Visitor, email: string) {
  const { html } = await visitor.get(MEMBERS);
  const row =
    html
      .split("<tr>")
      .slice(1)
      .find((each) => each.includes(`>${email}<`)) ?? "";
  const paths = [...row.matchAll(/href="([^"]+)"/g)].map(([, path = ""]) => path);
  return {
    text: row
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
    paths,
  };
}

const pathOf = async (visitor: Visitor, email: string, end: "role" | "remove" | "invite-again") =>
  (await rowOf(visitor, email)).paths.find((path) => path.endsWith(`/${end}`)) ?? `no way to ${end}`;

async function auditOf(visitor: Visitor): Promise<string[]> {
  const { html } = await visitor.get("/developers/audit");
  const rows = html
    .split("<tr>")
    .map((row) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].slice(1).map(([, cell = ""]) => cell));
  return rows.filter((row) => row.length > 0).map((row) => row.join(" | ").replace(/<[^>]*>/g, ""));
}

describe("an invitation", () => {
  test("goes out by mail, is marked until its link is used, and makes a member of the role that was chosen", async () => {
    const { visitor, email: inviter } = await area.signIn();
    const email = newEmail();
    const sent = await visitor.submit(INVITE, { email, role: "viewer" });
    expect([sent.status, sent.html.includes(`on its way to <bdi>${email}`), secretIn(sent.html)]).toEqual([
      201,
      true,
      undefined,
    ]);
    expect((await rowOf(visitor, email)).text).toContain("viewer Invited");

    const { parsed } = await mailbox.server().mailTo(email);
    expect(parsed.subject).toBe("Invitation to Nordlicht on Shipping Platform");
    expect(parsed.text).toContain(`${inviter} has invited you to the developer area of Nordlicht as a viewer`);
    const [, path = ""] = /https?:\/\/[^/\s]+(\/developers\/sign-in\/link#\S+)/.exec(parsed.text ?? "") ?? [];
    const invited = area.visitor();
    expect(await invited.submit(path)).toMatchObject({ status: 303, location: "/developers/sandbox" });
    expect((await invited.get("/developers/sandbox/keys/new")).status).toBe(403);
    expect((await rowOf(visitor, email)).text).not.toContain("Invited");
    expect((await area.visitor().post(path)).status).toBe(404);
    expect((await auditOf(visitor))[0]).toBe(`${inviter} | Member invited | ${email} as viewer | 127.0.0.1`);
  });

  test("that has expired is replaced by a link that they ask for themselves", async () => {
    const { visitor } = await area.signIn();
    const email = newEmail();
    await visitor.submit(INVITE, { email });
    const [old = ""] = await mailbox.linksTo(email);
    await area.stack().databases.gateway.pool.query(
      `UPDATE sign_in_links SET expires_at = expires_at - interval '7 days'
       WHERE member_id = (SELECT id FROM account_members WHERE email = $1)`,
      [email],
    );
    expect((await area.visitor().post(old)).status).toBe(404);
    await area.visitor().post("/developers/sign-in", { email });
    const [path = ""] = await mailbox.linksTo(email);
    expect((await area.visitor().submit(path)).status).toBe(303);
    expect((await rowOf(visitor, email)).text).not.toContain("Invited");
  });

  test("ends once they have come by a link that they asked for themselves", async () => {
    const { visitor } = await area.signIn();
    const email = newEmail();
    await visitor.submit(INVITE, { email });
    const [invitation = ""] = await mailbox.linksTo(email);
    await area.visitor().post("/developers/sign-in", { email });
    const [path = ""] = await mailbox.linksTo(email);
    expect((await area.visitor().submit(path)).status).toBe(303);
    for (const { status } of [await area.visitor().get(invitation), await area.visitor().post(invitation)])
      expect(status).toBe(404);
  });

  test("is sent again on request: the link before ends, and who has come gets none", async () => {
    const { visitor, email: inviter } = await area.signIn();
    const email = newEmail();
    await visitor.submit(INVITE, { email });
    const [old = ""] = await mailbox.linksTo(email);
    const again = await pathOf(visitor, email, "invite-again");
    expect((await visitor.submit(again)).status).toBe(201);
    const [path = ""] = await mailbox.linksTo(email);
    expect((await area.visitor().post(old)).status).toBe(404);
    expect((await area.visitor().submit(path)).status).toBe(303);
    expect((await visitor.get(again)).location).toBe(MEMBERS);
    expect(await pathOf(visitor, email, "invite-again")).toBe("no way to invite-again");
    expect((await auditOf(visitor))[0]).toBe(`${inviter} | Invitation resent | ${email} as viewer | 127.0.0.1`);
  });

  test("the same form, sent ten times at once, makes one: 201 once, then the list; one mail", async () => {
    const { visitor } = await area.signIn();
    const email = newEmail();
    const fields = { ...fieldsOf((await visitor.get(INVITE)).html), email };
    const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.post(INVITE, fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(303)]);
    await mailbox.linksTo(email);
    expect(mailbox.server().taken.filter(({ to }) => to.includes(email))).toHaveLength(1);
  });

  test.each([
    ["no address", { email: "nobody" }, 422, 'aria-invalid="true"'],
    ["two addresses", { email: "a@b.example,c@d.example" }, 422, 'aria-invalid="true"'],
    ["a role that there is not", { email: "a@b.example", role: "owner" }, 422, 'aria-invalid="true"'],
    ["no form of ours", { email: "a@b.example", form_id: "form_1" }, 422, "Nothing was saved"],
  ])("%s: refused, and nothing is sent", async (_case, fields, status, said) => {
    const { visitor } = await area.signIn();
    const answer = await visitor.submit(INVITE, fields);
    expect([answer.status, answer.html.includes(said)]).toEqual([status, true]);
    expect(await auditOf(visitor)).toHaveLength(1);
  });

  test("somebody who is already a member: 409", async () => {
    const { visitor, email } = await area.signIn();
    const answer = await visitor.submit(INVITE, { email: email.toUpperCase() });
    expect([answer.status, answer.html.includes(`${email} is already a member.`)]).toEqual([409, true]);
  });
});

describe("where no mail can be sent, the link", () => {
  test("is shown once, in the answer to the form, and signs in; a reload makes no second one", async () => {
    const { visitor } = await silent.signIn();
    const email = newEmail();
    const fields = { ...fieldsOf((await visitor.get(INVITE)).html), email };
    const shown = await visitor.post(INVITE, fields, { headers: { "accept-encoding": "gzip" } });
    expect([shown.status, shown.headers["content-encoding"]]).toEqual([201, undefined]);
    const url = secretIn(shown.html) ?? "";
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/developers\/sign-in\/link#[\w-]{43}$/);
    expect(await visitor.post(INVITE, fields)).toMatchObject({ status: 303, location: MEMBERS });
    const token = url.slice(-43);
    for (const path of [MEMBERS, "/developers/audit", INVITE])
      expect((await visitor.get(path)).html).not.toContain(token);
    expect((await silent.visitor().submit(pathIn(url))).status).toBe(303);
    expect(silent.stack().logged()).not.toContain(token);
  });

  test("is shown when it is made again", async () => {
    const { visitor } = await silent.signIn();
    const email = newEmail();
    await visitor.submit(INVITE, { email });
    const { status, html } = await visitor.submit(await pathOf(visitor, email, "invite-again"));
    expect(status).toBe(201);
    expect((await silent.visitor().submit(pathIn(secretIn(html) ?? ""))).status).toBe(303);
  });
});

describe("a role", () => {
  test("counts from the next request on, both ways, and is in the audit log", async () => {
    const { visitor, accountId, email: inviter } = await area.signIn();
    const other = await area.signIn({ accountId, role: "viewer" });
    const path = await pathOf(visitor, other.email, "role");
    expect(await visitor.submit(path, { role: "admin" })).toMatchObject({ status: 303, location: MEMBERS });
    expect((await other.visitor.get("/developers/sandbox/keys/new")).status).toBe(200);
    await visitor.submit(path, { role: "viewer" });
    expect((await other.visitor.get("/developers/sandbox/keys/new")).status).toBe(403);
    expect((await auditOf(visitor)).slice(0, 2)).toEqual([
      `${inviter} | Role changed | ${other.email}: from admin to viewer | 127.0.0.1`,
      `${inviter} | Role changed | ${other.email}: from viewer to admin | 127.0.0.1`,
    ]);
  });

  test("that there is not: 422; that of the last admin stays: 409", async () => {
    const { visitor, email } = await area.signIn();
    const path = await pathOf(visitor, email, "role");
    expect((await visitor.post(path, { role: "owner" })).status).toBe(422);
    expect((await visitor.post(path, {})).status).toBe(422);
    const { status, html } = await visitor.post(path, { role: "viewer" });
    expect([status, html.includes("is the last admin")]).toEqual([409, true]);
    expect((await rowOf(visitor, email)).text).toContain("admin");
  });
});

describe("who is removed", () => {
  test("is signed out at once, with every link, and the audit log says so", async () => {
    const { visitor, accountId, email: remover } = await area.signIn();
    const other = await area.signIn({ accountId });
    const { path: link } = await area.newLink({ accountId, email: other.email });
    const path = await pathOf(visitor, other.email, "remove");
    expect((await visitor.get(path)).html).toContain("is signed out everywhere");
    expect(await visitor.submit(path)).toMatchObject({ status: 303, location: MEMBERS });
    expect((await other.visitor.get("/developers/sandbox")).status).toBe(401);
    expect((await area.visitor().post(link)).status).toBe(404);
    expect((await visitor.post(path)).status).toBe(404);
    expect((await auditOf(visitor))[0]).toBe(`${remover} | Member removed | ${other.email} | 127.0.0.1`);
    await area.visitor().post("/developers/sign-in", { email: other.email });
    await area.visitor().post("/developers/sign-in", { email: remover });
    await mailbox.linksTo(remover);
    expect(mailbox.server().taken.filter(({ to }) => to.includes(other.email))).toEqual([]);
  });

  test("themselves, is signed out, unless they are the last admin", async () => {
    const { visitor, accountId, email } = await area.signIn();
    const path = await pathOf(visitor, email, "remove");
    const refused = await visitor.submit(path);
    expect([refused.status, refused.html.includes("is the last admin")]).toEqual([409, true]);
    await area.signIn({ accountId });
    expect((await visitor.get(path)).html).toContain("Remove yourself?");
    expect(await visitor.submit(path)).toMatchObject({ status: 303, location: "/developers" });
    expect(visitor.cookies()).toBe("");
  });

  test("by each other at once: of two admins one stays, five times out of five", async () => {
    for (let round = 0; round < 5; round++) {
      const one = await area.signIn();
      const other = await area.signIn({ accountId: one.accountId });
      const [first, second] = [
        await pathOf(one.visitor, other.email, "remove"),
        await pathOf(other.visitor, one.email, "remove"),
      ];
      const answers = await Promise.all([one.visitor.post(first), other.visitor.post(second)]);
      const left = await Promise.all([one, other].map(async ({ visitor }) => (await visitor.get(MEMBERS)).status));
      expect(left.sort()).toEqual([200, 401]);
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    }
  });
});

test("what changes members takes a sign-in of the last 15 minutes; to see them does not", async () => {
  const { visitor, accountId, email } = await area.signIn();
  const other = await area.signIn({ accountId, role: "viewer" });
  const paths = [INVITE, await pathOf(visitor, other.email, "role"), await pathOf(visitor, other.email, "remove")];
  await area.ageSignIn(email);
  for (const path of paths) {
    expect((await visitor.get(path)).html).toContain("Sign in again");
    const fields = { email: newEmail(), role: "admin", form_id: "form_mfrggzdfmztwq2lknnwg23tpoa" };
    expect((await visitor.post(path, fields)).status).toBe(403);
  }
  expect((await visitor.get(MEMBERS)).status).toBe(200);
  expect((await other.visitor.get("/developers/sandbox")).status).toBe(200);
});
