import { randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import { withinWindow } from "@shipping/kit/testing/eventually";
import { type Invited, inviteAgain, inviteMember } from "../members/invite-members.js";
import { createSignInLink } from "../members/manage-members.js";
import { startSession, WINDOW_MINUTES } from "../session/session.js";
import { portalDatabase } from "../testing/portal-database.js";
import { limitRefusals } from "./sign-in.js";
import { peekLink, readToken, redeemLink } from "./sign-in-link.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());

const origin = "https://ship.example";
const email = "bob@example.com";
const ADA = { name: "ada@example.com", source: "192.0.2.1" };
const FROM = { source: "192.0.2.1", userAgent: "Firefox" };
const newFormId = () => newId("form", randomBytes);
const tokenIn = ({ url = "" }: { url?: string }) => url.slice(-43);
const redeem = (link: { url?: string }) => redeemLink(portal, tokenIn(link), FROM);

async function invited() {
  const accountId = await portal.newAccount();
  const wanted = { accountId, email, role: "viewer", formId: newFormId(), origin } as const;
  return { accountId, invitation: await inviteMember(portal, wanted, ADA) };
}

const requestLink = (accountId: string) => createSignInLink(portal, { accountId, email, origin });
const throughProvider = ({ id }: Invited) => startSession(portal, id, { authenticatedAt: undefined }, FROM);

test("an invitation signs in once, and so does a link that its member requested", async () => {
  const { accountId, invitation } = await invited();
  const link = await requestLink(accountId);
  expect(await peekLink(portal, tokenIn(invitation))).toEqual({ email, accountName: "Acme" });
  for (const one of [invitation, link]) expect(await redeem(one)).toBeDefined();
  for (const one of [invitation, link]) expect(await redeem(one)).toBeUndefined();
});

describe.each<[string, (asked: Awaited<ReturnType<typeof invited>>) => Promise<unknown>]>([
  ["by a link that they requested", async ({ accountId }) => redeem(await requestLink(accountId))],
  ["through the provider", ({ invitation }) => throughProvider(invitation)],
])("once somebody has come %s", (_how, come) => {
  test("their invitation does not sign in, and the links that they requested still do", async () => {
    const asked = await invited();
    const link = await requestLink(asked.accountId);
    expect(await come(asked)).toBeDefined();
    expect(await peekLink(portal, tokenIn(asked.invitation))).toBeUndefined();
    expect(await redeem(asked.invitation)).toBeUndefined();
    expect(await redeem(link)).toBeDefined();
  });

  test("an invitation that an admin resends at that moment is refused", async () => {
    const asked = await invited();
    const { accountId, invitation } = asked;
    let came: Promise<unknown> | undefined;
    // The concurrent sign-in happens after the check for one, and before the invitation is written.
    const run: typeof portal.db.run = async (statement) => {
      came ??= come(asked);
      await came;
      return portal.db.run(statement);
    };
    const deps = { ...portal, db: { ...portal.db, run } };
    const resent = inviteAgain(deps, { accountId, id: invitation.id, formId: newFormId(), origin }, ADA);
    await expect(resent).rejects.toThrow("bob@example.com has already signed in.");
  });
});

test.each([
  ["abc_-123", "abc_-123"],
  ["https://ship.example/developers/sign-in/link#abc_-123", "abc_-123"],
  ["  https://ship.example/developers/sign-in/link#abc_-123\n", "abc_-123"],
  ["#", ""],
  ["", ""],
])("of %j, %j is the token", (link, token) => {
  expect(readToken({ form: new Map([["link", [link]]]) })).toBe(token);
});

const countRefusals = withinWindow(WINDOW_MINUTES, async () => {
  await portal.db.pool.query("DELETE FROM sign_in_refusals");
  const attempt = (source: string) => limitRefusals(portal, { source, openedByPerson: true });
  const refused = async (sources: string[]) => (await Promise.all(sources.map(attempt))).filter(Boolean).length;
  const hundred = (network: string) =>
    Array.from({ length: 100 }, (_, n) => `2001:db8:1:${network}::${n.toString(16)}`);
  expect(await refused(hundred("1"))).toBe(0);
  expect(await refused(["2001:db8:1:1:ffff::1", "2001:db8:1:2::1"])).toBe(1);
  await refused(hundred("3"));
  expect(await refused(["2001:db8:1:6::1", "2001:db8:2:1::1"])).toBe(1);
});

test("refused attempts are counted by the network: a hundred of a /64, two hundred of a /48", countRefusals);
