import { eventually } from "@shipping/kit/testing/eventually";
import { useArea } from "./area.js";
import { useMailbox } from "./mailbox.js";
import { auditOf, INVITE, MEMBERS, newEmail, pathOf, rowOf } from "./member-list.js";
import { fieldsOf, pathIn, secretIn } from "./visitor.js";

const mailbox = useMailbox();
const area = useArea({ mail: mailbox.route });
const silent = useArea({ logs: true });

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
    expect((await rowOf(visitor, email)).text).toMatch(/viewer (Sending invitation|Invited)/);

    const { parsed } = await mailbox.server().mailTo(email);
    expect(parsed.subject).toBe("Invitation to Nordlicht on Shipping Platform");
    expect(parsed.text).toContain(`${inviter} has invited you to the developer area of Nordlicht as a viewer`);
    const [, path = ""] = /https?:\/\/[^/\s]+(\/developers\/sign-in\/link#\S+)/.exec(parsed.text ?? "") ?? [];
    const invited = area.visitor();
    expect(await invited.submit(path)).toMatchObject({ status: 303, location: "/developers/sandbox" });
    expect((await invited.get("/developers/sandbox/keys/new")).status).toBe(403);
    expect((await rowOf(visitor, email)).text).not.toContain("Invited");
    expect((await area.visitor().post(path)).status).toBe(404);
    expect(await auditOf(visitor)).toContain(`${inviter} | Member invited | ${email} as viewer | 127.0.0.1`);
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
    expect(await auditOf(visitor)).toContain(`${inviter} | Invitation resent | ${email} as viewer | 127.0.0.1`);
  });

  test("is declined by a link in its email, after a confirmation: the member is removed, and not invited again", async () => {
    const { visitor, email: inviter } = await area.signIn();
    const email = newEmail();
    await visitor.submit(INVITE, { email });
    const { parsed } = await mailbox.server().mailTo(email);
    const [, path = ""] = /https?:\/\/[^/\s]+(\/developers\/decline#\S+)/.exec(parsed.text ?? "") ?? [];
    const invited = area.visitor();
    expect((await invited.get(path)).html).toContain("Decline the invitation?");
    expect((await rowOf(visitor, email)).text).toContain("Invited");
    expect((await invited.submit(path)).html).toContain("Invitation declined");
    expect(await rowOf(visitor, email)).toMatchObject({ text: "" });
    expect((await auditOf(visitor))[0]).toBe(`${email} | Invitation declined | ${email} | 127.0.0.1`);
    const again = await visitor.submit(INVITE, { email });
    expect([again.status, again.html.includes(`${email} has declined`)]).toEqual([409, true]);
    for (const asking of [email, inviter]) await area.visitor().post("/developers/sign-in", { email: asking });
    await mailbox.linksTo(inviter);
    expect(mailbox.server().taken.filter(({ to }) => to.includes(email))).toHaveLength(1);
    for (const { status } of [await invited.get(path), await invited.post(path)]) expect(status).toBe(404);
  });

  test("that cannot be sent is marked in the list, and no longer when another one was sent", async () => {
    const { visitor } = await area.signIn();
    const email = newEmail();
    mailbox.server().misbehave({ refuse: 550 });
    const { html } = await visitor.submit(INVITE, { email });
    expect(html).toContain("If it cannot be sent, the list of members says so.");
    await eventually(async () => expect((await rowOf(visitor, email)).text).toContain("viewer Email not sent"));
    mailbox.server().misbehave(undefined);
    await visitor.submit(await pathOf(visitor, email, "invite-again"));
    await eventually(async () => expect((await rowOf(visitor, email)).text).not.toContain("Email"));
  });

  test("with an invalid address, role and form is refused, and nothing is sent", async () => {
    const { visitor } = await area.signIn();
    const answer = await visitor.submit(INVITE, { email: "a@b.example,c@d.example", role: "owner", form_id: "form_1" });
    expect([answer.status, answer.html.match(/aria-invalid="true"/g)]).toEqual([
      422,
      Array(2).fill('aria-invalid="true"'),
    ]);
    expect((await auditOf(visitor)).filter((entry) => entry.includes("invited"))).toEqual([]);
  });

  test("a person who is already a member: 409", async () => {
    const { visitor, email } = await area.signIn();
    const answer = await visitor.submit(INVITE, { email: email.toUpperCase() });
    expect([answer.status, answer.html.includes(`${email} is already a member.`)]).toEqual([409, true]);
  });
});

test("where no mail can be sent, the link is shown once, in the answer to the form, and signs in; a reload makes no second one", async () => {
  const { visitor } = await silent.signIn();
  const email = newEmail();
  const fields = { ...fieldsOf((await visitor.get(INVITE)).html), email };
  const shown = await visitor.post(INVITE, fields);
  const url = secretIn(shown.html) ?? "";
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/developers\/sign-in\/link#[\w-]{43}$/);
  expect(await visitor.post(INVITE, fields)).toMatchObject({ status: 303, location: MEMBERS });
  const token = url.slice(-43);
  for (const path of [MEMBERS, "/developers/audit", INVITE])
    expect((await visitor.get(path)).html).not.toContain(token);
  expect((await silent.visitor().submit(pathIn(url))).status).toBe(303);
  expect(silent.stack().logged()).not.toContain(token);
});
