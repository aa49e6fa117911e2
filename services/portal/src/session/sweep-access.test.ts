import { countMail } from "../members/count-mails.js";
import { addMember, createSignInLink } from "../members/manage-members.js";
import { keepRequest } from "../sign-in/link-mail.js";
import { limitRefusals } from "../sign-in/sign-in.js";
import { redeemLink } from "../sign-in/sign-in-link.js";
import { portalDatabase } from "../testing/portal-database.js";
import { sweepAccessOnce } from "./sweep-access.js";

const HOUR_MS = 3_600_000;

test("ended rows are deleted after their time, and no others", async () => {
  const portal = await portalDatabase();
  const after = (hours: number) =>
    sweepAccessOnce({ ...portal, clockOffsetMs: hours * HOUR_MS, auditRetentionDays: 400 });
  const accountId = await portal.newAccount();
  await addMember(portal, { accountId, email: "ada@example.com", role: "admin" });
  const link = () => createSignInLink(portal, { accountId, origin: "http://127.0.0.1" });
  await redeemLink(portal, (await link()).url.split("#").at(-1) ?? "", { source: "192.0.2.1", userAgent: "" });
  await link();
  for (const name of ["address:1", "source:192.0.2.1"]) await countMail(portal, { name, most: 1, minutes: 10 });
  const request = { email: "ada@example.com", source: "192.0.2.2", memberId: undefined, returnTo: undefined };
  expect(await keepRequest(portal, request)).toBe("kept");
  await limitRefusals(portal, { source: "192.0.2.1", openedByPerson: true });

  const none = { mails: 0, links: 0, sessions: 0, refusals: 0, mailCounts: 0, entries: 0 };
  expect(await after(0)).toEqual(none);
  expect(await after(0.3)).toEqual({ ...none, links: 1, refusals: 1, mailCounts: 2 });
  expect(await after(0.6)).toEqual({ ...none, sessions: 1 });
  expect(await after(1.2)).toEqual(none);
  expect(await after(1.3)).toEqual({ ...none, mails: 1 });
  expect(await after(23)).toEqual(none);
  expect(await after(24.2)).toEqual({ ...none, mailCounts: 1 });
  expect(await after(399 * 24)).toEqual(none);
  expect(await after(401 * 24)).toEqual({ ...none, entries: 4 });
  expect(await portal.prisma.accountMember.count()).toBe(1);
  await portal.drop();
});
