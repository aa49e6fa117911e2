import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { lockAccounts, waitingMails } from "@shipping/portal/testing/stored-accounts";
import { ageMailCounts, mailCounts } from "@shipping/portal/testing/stored-sessions";
import { useArea } from "./area.js";
import { useMailbox } from "./mailbox.js";
import { newEmail } from "./member-list.js";
import type { PageAnswer } from "./visitor.js";

const mailbox = useMailbox();
const area = useArea({ mail: mailbox.route, logs: true, trustedProxies: 1 });
const silent = useArea();

const FORM = "/developers/sign-in";

let asker = 0;
/** Requests a link, from a network address of its own. */
function ask(email: string, visitor = area.visitor(), source?: string) {
  asker += 1;
  return visitor.post(FORM, { email }, { headers: { "x-forwarded-for": source ?? `203.0.113.${asker}` } });
}

describe("a person who requests a link", () => {
  test("finds the form where they are signed out, gets a mail, and signs in with its link, once", async () => {
    const { email } = await area.newLink();
    const visitor = area.visitor();
    const entrance = await visitor.get("/developers");
    expect([entrance.status, entrance.html.includes(`action="${FORM}"`)]).toEqual([401, true]);
    expect(await visitor.submit(FORM, { email: ` ${email.toUpperCase()} ` })).toMatchObject({ status: 200 });
    const [path = ""] = await mailbox.linksTo(email);
    expect((await visitor.get(path)).html).toContain(`<bdi>${email}</bdi>`);
    expect(await visitor.submit(path)).toMatchObject({ status: 303, location: "/developers/sandbox" });
    expect((await visitor.get("/developers/sandbox")).status).toBe(200);
    expect((await area.visitor().post(path)).status).toBe(404);
  });

  test("gets the email at the stored email address, as text and as HTML, without resources of other hosts", async () => {
    const { email } = await area.newLink();
    await ask(email);
    const { from, to, parsed } = await mailbox.server().mailTo(email);
    expect([from, to, parsed.subject]).toEqual(["no-reply@ship.example", [email], "Sign in to Shipping Platform"]);
    expect(parsed.headers.get("auto-submitted")).toBe("auto-generated");
    const html = String(parsed.html);
    expect(html).toContain("Sign in to Nordlicht");
    expect(html).not.toMatch(/<img|src=|<link|url\(/);
    expect(parsed.text).toContain("works once and expires after 15 minutes");
  });

  test("who is a member of several accounts gets a link to each, and switches between them", async () => {
    const { email } = await area.newLink();
    await area.newLink({ email, accountId: await area.stack().newAccount("Another"), role: "viewer" });
    await ask(email);
    const links = await mailbox.linksTo(email);
    const visitor = area.visitor();
    for (const [path = "", name] of [
      [links[0], "Another"],
      [links[1], "Nordlicht"],
      ["/developers/accounts", "Another"],
    ]) {
      await visitor.submit(path);
      expect((await visitor.get("/developers/sandbox")).html).toContain(name);
    }
  });

  test("again, since it takes a new sign-in, gets one for this account, which leads back to the page", async () => {
    const { visitor, email } = await area.signIn();
    await area.newLink({ email, accountId: await area.stack().newAccount("Another") });
    await area.ageSignIn(email);
    const page = await visitor.get("/developers/live/keys/new");
    expect([page.status, page.html.includes(`value="${email}"`)]).toEqual([403, true]);
    await visitor.post(FORM, { email, return_to: "/developers/live/keys/new" });
    const links = await mailbox.linksTo(email);
    expect(links).toHaveLength(1);
    expect(await visitor.submit(links[0] ?? "")).toMatchObject({ status: 303, location: "/developers/live/keys/new" });
    expect((await visitor.get("/developers/live/keys/new")).status).toBe(200);
  });

  test("is led nowhere else", async () => {
    const { email } = await area.newLink();
    for (const return_to of ["//evil.example", "https://evil.example", "/developers/../api", "/developers?x"])
      expect((await area.visitor().post(FORM, { email, return_to })).status).toBe(422);
  });
});

describe("membership is not revealed", () => {
  const seen = ({ status, html, headers }: PageAnswer) => {
    const { "x-request-id": _, date: __, ...rest } = headers;
    return { status, html, rest };
  };

  test("the answer is the same in every byte and header, for a member, a stranger, one who asks too often", async () => {
    const { email } = await area.newLink();
    const stranger = seen(await ask(newEmail()));
    expect(stranger.status).toBe(200);
    for (let times = 0; times < 8; times++) expect(seen(await ask(email))).toEqual(stranger);
    expect(seen(await ask(`x${"y".repeat(150)}@example.com`))).toEqual(stranger);
  });

  test("and comes before anything is looked up: a database that has locked the accounts delays no answer", async () => {
    const { email } = await area.newLink();
    const client = await openTransaction(area.stack().databases.portal);
    await client.query(lockAccounts);
    expect((await ask(email)).status).toBe(200);
    await client.query("ROLLBACK");
    client.release();
    expect(await mailbox.linksTo(email)).toHaveLength(1);
  });

  test("a stranger's request leaves only a count of the IP address", async () => {
    const before = await mailCounts(area.db());
    await ask(newEmail(), area.visitor(), "198.51.100.7");
    await ask(newEmail(), area.visitor(), "198.51.100.7");
    const { email } = await area.newLink();
    await ask(email);
    await mailbox.linksTo(email);
    const added = (await mailCounts(area.db())).filter((row) => !before.includes(row));
    expect(added.filter((row) => row.includes("198.51.100.7"))).toHaveLength(1);
    expect(added.filter((row) => row.includes("address:"))).toHaveLength(2);
    expect(added.join()).not.toContain(email);
    await eventually(async () => expect(await waitingMails(area.db())).toEqual([]));
  });
});

describe("limits", () => {
  area.testLimit("an address gets five mails in ten minutes; the links it has still sign in", async () => {
    const { email } = await area.newLink();
    for (let times = 0; times < 7; times++) await ask(email);
    const links = [];
    for (let n = 0; n < 5; n++) links.push(...(await mailbox.linksTo(email)));
    // The other member's email would arrive after any further email to the first one.
    const other = await area.newLink();
    await ask(other.email);
    await mailbox.linksTo(other.email);
    expect(mailbox.server().taken.filter(({ to }) => to.includes(email))).toHaveLength(5);
    for (const path of links) expect((await area.visitor().submit(path)).status).toBe(303);
  });

  test("an email address gets ten emails a day, the last of which says so, and more when its member is signed in", async () => {
    const { visitor, email } = await area.signIn();
    const tenMinutesLater = () => ageMailCounts(area.db());
    const texts: string[] = [];
    for (let n = 0; n < 10; n++) {
      await ask(email);
      texts.push((await mailbox.server().mailTo(email)).parsed.text ?? "");
      await tenMinutesLater();
    }
    expect(texts.map((text) => text.includes("the last link today"))).toEqual([...Array(9).fill(false), true]);
    await ask(email);
    await ask(email, visitor);
    expect((await mailbox.server().mailTo(email)).parsed.text).not.toContain("the last link today");
    expect(mailbox.server().taken.filter(({ to }) => to.includes(email))).toHaveLength(11);
  });

  area.testLimit("429 for a network address that asks too often, the same for everybody; its links work", async () => {
    const { email } = await area.newLink();
    const source = "198.51.100.99";
    await ask(email, area.visitor(), source);
    const [path = ""] = await mailbox.linksTo(email);
    const statuses = [];
    for (let times = 0; times < 60; times++) statuses.push((await ask(newEmail(), area.visitor(), source)).status);
    expect([...new Set(statuses.slice(0, 59))]).toEqual([200]);
    const refused = [await ask(email, area.visitor(), source), await ask(newEmail(), area.visitor(), source)];
    expect(refused.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual(Array(2).fill([429, "600"]));
    expect(refused[0]?.html).toBe(refused[1]?.html);
    const headers = { "x-forwarded-for": source };
    expect((await area.visitor().get(path, { headers })).status).toBe(200);
    expect((await area.visitor().post(path, {}, { headers })).status).toBe(303);
    expect((await ask(email)).status).toBe(200);
  });

  test("two addresses are said to be none", async () => {
    const { status, html } = await ask("a@b.example, c@d.example");
    expect([status, html.includes('aria-invalid="true"')]).toEqual([422, true]);
  });
});

test("where no mail can be sent, the pages say so and name the operator's command", async () => {
  for (const path of ["/developers", FORM]) {
    const { html } = await silent.visitor().get(path);
    expect(html).toContain("Email is not set up here");
    expect(html).toContain("npm run -s admin -- sign-in-link");
    expect(html).not.toContain("<form");
  }
  expect((await silent.visitor().post(FORM, { email: newEmail() })).status).toBe(503);
});
