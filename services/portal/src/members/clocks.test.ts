import { randomBytes } from "node:crypto";
import { newId } from "@shipping/kit/ids";
import { minutesFromNow, SKEWED_CLOCKS } from "@shipping/kit/testing/skewed-clocks";
import { portalDatabase } from "../testing/portal-database.js";
import { inviteAgain, inviteMember } from "./invite-members.js";
import { addMember, createSignInLink, removeMember } from "./manage-members.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());

const origin = "https://ship.example";
const ADA = { name: "ada@example.com", source: "192.0.2.1" };
const WEEK_MINUTES = 7 * 24 * 60;
const newFormId = () => newId("form", randomBytes);

describe.each(SKEWED_CLOCKS)("in a portal whose clock is %s, by the database's", (_, now) => {
  const skewed = () => ({ ...portal, now });

  test("a link signs in for 15 minutes", async () => {
    const accountId = await portal.newAccount();
    await addMember(portal, { accountId, email: "ada@example.com", role: "admin" });
    const { expiresAt } = await createSignInLink(skewed(), { accountId, origin });
    expect(minutesFromNow(expiresAt)).toBe(15);
  });

  test("an invitation is good for seven days, and for seven more when it is sent again", async () => {
    const accountId = await portal.newAccount();
    const wanted = { accountId, email: "bob@example.com", role: "viewer", origin } as const;
    const { id, expiresAt } = await inviteMember(skewed(), { ...wanted, formId: newFormId() }, ADA);
    expect(minutesFromNow(expiresAt)).toBe(WEEK_MINUTES);
    const again = await inviteAgain(skewed(), { accountId, id, origin, formId: newFormId() }, ADA);
    expect(minutesFromNow(again.expiresAt)).toBe(WEEK_MINUTES);
    const { invitedAt } = await portal.prisma.accountMember.findUniqueOrThrow({ where: { id } });
    expect(minutesFromNow(invitedAt!)).toBe(0);
  });
});

test("the audit log has changes in their order, whichever portals made them", async () => {
  const accountId = await portal.newAccount();
  const [behind, ahead] = SKEWED_CLOCKS.map(([, now]) => ({ ...portal, now }));
  const { id } = await addMember(ahead!, { accountId, email: "ada@example.com", role: "viewer" });
  await removeMember(behind!, { accountId, id });
  const entries = await portal.prisma.auditEntry.findMany({ where: { accountId } });
  const timeOf = (action: string) => entries.find((entry) => entry.action === action)?.at.getTime();
  expect(timeOf("member.removed")).toBeGreaterThanOrEqual(timeOf("member.added") ?? Number.POSITIVE_INFINITY);
});
