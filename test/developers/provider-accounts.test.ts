import { storedKeys } from "@shipping/gateway/testing/stored-accounts";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import {
  backdateMembers,
  linkToAnother,
  markInvited,
  moveMembers,
  storedMembers,
} from "@shipping/portal/testing/stored-members";
import { ageSessions } from "@shipping/portal/testing/stored-sessions";
import { useArea } from "./area.js";
import { AGAIN, journeysOf, LEAVE, type Person, useProvider } from "./provider.js";
import { actionOf, decodeText, fieldsOf, newVisitor } from "./visitor.js";

const provider = useProvider();
const area = useArea({ developerArea: { provider } });
const { newPerson, beginSignIn, through, signIn } = journeysOf(area, provider);

const LIVE_KEYS = "/developers/live/keys";

/** The entries of a person about switching accounts, by account. */
async function switchesOf(actor: string): Promise<Record<string, string[]>> {
  const entries = (await auditEntries(area.db(), { actor })).filter(({ detail }) => / account/.test(detail));
  const accounts = [...new Set(entries.map(({ accountId }) => accountId))];
  const linesOf = (account: string) =>
    entries.filter(({ accountId }) => accountId === account).map(({ action, detail }) => `${action} ${detail}`);
  return Object.fromEntries(accounts.map((account) => [account, linesOf(account).sort()]));
}

/** Makes a person a member of a new account, as if this many days ago. */
async function join({ email }: Pick<Person, "email">, name: string, daysAgo = 0) {
  const { accountId, path } = await area.newLink({ email, accountId: await area.stack().newAccount(name) });
  await backdateMembers(area.db(), accountId, daysAgo);
  return { accountId, path };
}

/** A person who signs in through the provider to an account, and is signed in by link to a younger one. */
async function inTheYounger() {
  const person = newPerson();
  const older = await join(person, "Older");
  await signIn(person);
  const younger = await join(person, "Younger");
  await person.here.submit(younger.path);
  await area.ageSignIn(person.email);
  return { person, older, younger };
}

/** The account that a person is signed in to. */
async function accountOf({ here }: Person): Promise<string | undefined> {
  return /class="who"><strong><bdi>([^<]*)/.exec((await here.get("/developers/sandbox")).html)?.[1];
}

const keysOf = async (accountId: string) =>
  (await storedKeys(area.stack().databases.gateway, { accountId })).map(({ name }) => name);

const subjectOf = async (accountId: string) => (await storedMembers(area.db(), accountId))[0]?.subject;

describe("who is a member of several accounts", () => {
  test("and signs in again stays in the account that they are in: there the live key is made", async () => {
    const { person, older, younger } = await inTheYounger();
    expect((await person.here.get(`${LIVE_KEYS}/new`)).status).toBe(403);
    expect(await signIn(person, AGAIN)).toMatchObject({ status: 303, location: `${LIVE_KEYS}/new` });
    expect((await person.here.submit(`${LIVE_KEYS}/new`, { name: "mine" })).status).toBe(201);
    expect(await subjectOf(younger.accountId)).toBe(person.email);
    expect([await keysOf(older.accountId), await keysOf(younger.accountId)]).toEqual([[], ["mine"]]);
  });

  test("is tied to the provider in two accounts by one sign-in, which the audit log of each says once", async () => {
    const person = newPerson();
    const joined = [await join(person, "One"), await join(person, "Two")];
    for (let times = 0; times < 2; times++) await signIn(person);
    for (const { accountId } of joined) {
      const entries = await auditEntries(area.db(), { accountId, action: "member.linked_to_provider" });
      expect(entries).toMatchObject([{ actor: person.email, detail: person.email, source: "127.0.0.1" }]);
    }
  });

  test("signs in to the oldest at first, whatever order the database finds them in", async () => {
    const person = newPerson();
    for (const [name, daysAgo] of [
      ["Younger", 1],
      ["Oldest", 3],
      ["Older", 2],
    ] as const) {
      await join(person, name, daysAgo);
    }
    await signIn(person);
    expect(await accountOf(person)).toBe("Oldest");
  });

  test("is not led into an account that only invited them, however old it is", async () => {
    const person = newPerson();
    const { accountId } = await join(person, "Stranger", 1);
    await markInvited(area.db(), accountId);
    await join(person, "Own");
    await signIn(person);
    expect(await accountOf(person)).toBe("Own");
  });

  test("is not linked if it belongs to another identity, or if the account already has a member with this one", async () => {
    const person = newPerson();
    const others = await join(person, "Others", 1);
    await linkToAnother(area.db(), others.accountId, provider.issuer);
    const own = await join(person, "Own");
    await signIn(person);
    await moveMembers(area.db(), own, `old-${person.email}`);
    await area.newLink({ accountId: own.accountId, email: person.email });
    expect((await signIn(person)).status).toBe(303);
    expect([await accountOf(person), await subjectOf(others.accountId)]).toEqual(["Own", "another"]);
  });
});

describe("a change to another account", () => {
  const ACCOUNTS = "/developers/accounts";
  const SWITCHED = { status: 303, location: "/developers/sandbox" };

  test("is a button on the page of their accounts, without another sign-in, and back", async () => {
    const { person, older, younger } = await inTheYounger();
    await signIn(person);
    for (const name of ["Older", "Younger"]) {
      const cookie = person.here.cookies();
      expect(await person.here.submit(ACCOUNTS)).toMatchObject(SWITCHED);
      expect(await accountOf(person)).toBe(name);
      expect((await person.here.get(ACCOUNTS, { cookie })).status).toBe(401);
    }
    // Neither account sees the other's name.
    const lines = ["member.signed_in by switching accounts, ", "member.switched_account to another account, "];
    expect(await switchesOf(person.email)).toEqual({ [older.accountId]: lines, [younger.accountId]: lines });
  });

  test("is no new proof, and no longer session", async () => {
    const { person } = await inTheYounger();
    await signIn(person, AGAIN);
    await ageSessions(area.db(), { created: 7 * 60 + 45 });
    await area.ageSignIn(person.email);
    expect(await person.here.submit(ACCOUNTS)).toMatchObject(SWITCHED);
    expect((await person.here.get(`${LIVE_KEYS}/new`)).status).toBe(403);
    await ageSessions(area.db(), { created: 15 });
    expect((await person.here.get(ACCOUNTS)).status).toBe(401);
  });

  test("needs a sign-in through the provider if the session has not proved access to that account", async () => {
    const { person, younger } = await inTheYounger();
    await signIn(person);
    const { path } = await area.newLink({ accountId: younger.accountId, email: person.email });
    await person.here.submit(path);
    const { html } = await person.here.get(ACCOUNTS);
    const link = /href="([^"]*account=acc_[^"]*)">Sign in to <bdi>Older</.exec(html)?.[1];
    expect(await signIn(person, link)).toMatchObject(SWITCHED);
    expect(await accountOf(person)).toBe("Older");
  });

  test("is not open because of the same email address: an invited person may not own that mailbox", async () => {
    const { person, older, younger } = await inTheYounger();
    const { html } = await person.here.get(ACCOUNTS);
    expect([html.includes("Younger"), html.includes("Older")]).toEqual([true, false]);
    const answer = await person.here.post(`${ACCOUNTS}?account_id=${younger.accountId}`, { account: older.accountId });
    expect([answer.location, await accountOf(person)]).toEqual([ACCOUNTS, "Younger"]);
  });

  test("is not offered to an account that only invited them", async () => {
    const { person, older } = await inTheYounger();
    await signIn(person);
    await markInvited(area.db(), older.accountId);
    expect((await person.here.get("/developers/accounts")).html).not.toContain("Older");
  });

  test("is not made by a link of another site", async () => {
    const { person, older } = await inTheYounger();
    const headers = { "sec-fetch-site": "cross-site" };
    const { location } = await person.here.get(`${LEAVE}?account=${older.accountId}`, { headers });
    await person.here.get(await through(person.there, location ?? "", person.email));
    expect(await accountOf(person)).toBe("Younger");
  });

  test("leads into no account of others, and leaves the session as it is", async () => {
    const { person } = await inTheYounger();
    const strangers = await join(newPerson(), "Strangers");
    const { status, html } = await signIn(person, `${LEAVE}?account=${strangers.accountId}`);
    expect([status, html.includes("not a member of that account")]).toEqual([403, true]);
    expect(await accountOf(person)).toBe("Younger");
  });
});

describe("a form that was shown before a sign-in to another account", () => {
  const INVITE = "/developers/members/invite";
  const invited = (accountId: string) => storedMembers(area.db(), accountId, "bob@example.com");

  test.each([
    ["makes no live key", `${LIVE_KEYS}/new`, { name: "mine" }],
    ["invites nobody", INVITE, { email: "bob@example.com" }],
  ])("%s there: 409 names the account of now; back in its own account it works", async (_what, path, change) => {
    const { person, older, younger } = await inTheYounger();
    await signIn(person, AGAIN);
    const page = await person.here.get(path);
    const form = { ...fieldsOf(page.html), ...change };
    const action = actionOf(page.html, path);
    const { email } = person;
    await person.here.submit((await area.newLink({ accountId: older.accountId, email })).path);
    const { status, html } = await person.here.post(action, form);
    expect([status, decodeText(html.replace(/<\/?(?:bdi|strong)>/g, ""))]).toEqual([
      409,
      expect.stringContaining("shown for another account. You are now signed in to Older. Nothing was changed."),
    ]);
    const made = async ({ accountId }: { accountId: string }) => [
      ...(await keysOf(accountId)),
      ...(await invited(accountId)),
    ];
    expect([await made(older), await made(younger)]).toEqual([[], []]);

    await person.here.submit((await area.newLink({ accountId: younger.accountId, email })).path);
    expect((await person.here.post(action, form)).status).toBe(201);
    expect([(await made(older)).length, (await made(younger)).length]).toEqual([0, 1]);
  });
});

describe("a new sign-in is refused without an effect", () => {
  test("from another person than the one who is signed in and stays so", async () => {
    const { person } = await inTheYounger();
    const other = newPerson();
    await join(other, "Other");
    const begun = await beginSignIn(person.here, AGAIN);
    const { status, html } = await person.here.get(await through(newVisitor(provider.issuer), begun, other.email));
    expect([status, html.includes("signed in as somebody else")]).toEqual([403, true]);
    expect(await accountOf(person)).toBe("Younger");
    expect((await person.here.get(`${LIVE_KEYS}/new`)).status).toBe(403);
  });

  test("in a browser that was signed out on the way", async () => {
    const { person } = await inTheYounger();
    const callback = await through(person.there, await beginSignIn(person.here, AGAIN), person.email);
    await person.here.post("/developers/sign-out");
    const { status, html } = await person.here.get(callback);
    expect([status, html.includes("You were signed out")]).toEqual([403, true]);
    expect(await accountOf(person)).toBeUndefined();
  });
});
