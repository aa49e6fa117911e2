import { countMail } from "../../accounts/count-mails.js";
import { addMember, createSignInLink } from "../../accounts/manage-members.js";
import { gatewayDatabase } from "../../testing/gateway-database.js";
import { limitRefusals } from "../sign-in/sign-in.js";
import { redeemLink } from "../sign-in/sign-in-link.js";
import { sweepAccessOnce } from "./sweep-access.js";

const HOUR_MS = 3_600_000;

test("ended rows are deleted after their time, and no others", async () => {
  const { db, admin, newKey, prisma, drop } = await gatewayDatabase();
  const now = { db, random: admin.random, clockOffsetMs: 0 };
  const after = (hours: number) => sweepAccessOnce({ db, clockOffsetMs: hours * HOUR_MS, auditRetentionDays: 400 });
  const { accountId } = await newKey();
  await addMember(admin, { accountId, email: "ada@example.com", role: "admin" });
  const link = () => createSignInLink(admin, { accountId, origin: "http://127.0.0.1" });
  await redeemLink(now, (await link()).url.split("#").at(-1) ?? "", { source: "192.0.2.1", userAgent: "" });
  await link();
  for (const name of ["address:1", "source:192.0.2.1"]) await countMail(admin, { name, most: 1, minutes: 10 });
  await limitRefusals(now, { source: "192.0.2.1", openedByPerson: true });

  const none = { links: 0, sessions: 0, refusals: 0, mailCounts: 0, entries: 0 };
  expect(await after(0)).toEqual(none);
  expect(await after(0.3)).toEqual({ ...none, links: 1, refusals: 1, mailCounts: 1 });
  expect(await after(0.6)).toEqual({ ...none, sessions: 1 });
  expect(await after(23)).toEqual(none);
  expect(await after(24.2)).toEqual({ ...none, mailCounts: 1 });
  expect(await after(399 * 24)).toEqual(none);
  expect(await after(401 * 24)).toEqual({ ...none, entries: 5 });
  expect(await prisma.apiKey.count()).toBe(1);
  await drop();
});
