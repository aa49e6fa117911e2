import { readConfig } from "@shipping/kit/process/config";
import { eventually } from "@shipping/kit/testing/eventually";
import { z } from "zod";
import { areaSettings, toAreaDeps } from "./session/settings.js";
import { type PortalUnderTest, portalUnderTest } from "./testing/portal-under-test.js";
import { smtpUnderTest } from "./testing/smtp-server.js";

const depsOf = (env: Record<string, string>) => toAreaDeps(readConfig(z.object(areaSettings), env));
const withServer = (url: string) => depsOf({ SMTP_URL: url, MAIL_FROM: "Acme <no-reply@acme.example>" });

let portal: PortalUnderTest;
afterEach(() => portal.end());

test("it answers operators: members of an account that the gateway has, their number, and their erasure", async () => {
  portal = await portalUnderTest();
  const accountId = portal.gateway.change("account.created");
  const { member } = await portal.operations.addMember({ accountId, email: "ada@example.com", role: "admin" });
  expect(member).toMatchObject({ email: "ada@example.com", role: "admin" });
  const countsOf = async () => (await portal.ownerOperations.countResources({ accountId })).counts;
  expect(await countsOf()).toMatchObject([{ kind: "members", count: 1n }]);
  await portal.operations.beginErasing({ accountId });
  for (let cursor: string | undefined; ; ) {
    ({ nextCursor: cursor } = await portal.ownerOperations.eraseAccount({ accountId, ...(cursor && { cursor }) }));
    if (!cursor) break;
  }
  expect(await countsOf()).toMatchObject([{ count: 0n }]);
  expect(await portal.prisma.account.count()).toBe(0);
});

test("it checks the servers that it uses, and no others", async () => {
  portal = await portalUnderTest();
  expect((await portal.operations.checkServers({})).findings).toEqual([]);
  await portal.end();
  const smtp = await smtpUnderTest();
  const provider = { issuer: "http://127.0.0.1:1/", clientId: "area", clientSecret: "hush" };
  portal = await portalUnderTest({ ...withServer(smtp.url), developerArea: { provider } });
  const { findings } = await portal.operations.checkServers({});
  expect(findings).toMatchObject([
    { part: "mail server", ok: true },
    { part: "emails", ok: true, says: "none waiting" },
    { part: "sign-in provider", ok: false },
  ]);
  await smtp.stop();
});

test("it stops although the gateway, webhooks and the mail server have been asked and never answer", async () => {
  const smtp = await smtpUnderTest();
  smtp.misbehave("fall silent");
  let asked = 0;
  const failing = { subscriptionId: "whk_1", url: "https://shop.example/", failingSince: "2026-03-01T10:00:00.000Z" };
  let accountId = "";
  portal = await portalUnderTest({
    ...withServer(smtp.url),
    webhooks: {
      listChanges() {
        asked++;
        return new Promise<never>(() => {});
      },
      claimFailing: () => ({ subscriptions: [{ ...failing, owner: { accountId, environment: "live" } }] }),
    },
  });
  portal.gateway.hanging.add("listChanges");
  accountId = portal.gateway.change("account.created");
  await portal.operations.addMember({ accountId, email: "ada@example.com", role: "admin" });
  await eventually(() => {
    expect([portal.gateway.asked.has("listChanges"), asked > 0, smtp.tries()]).toEqual([true, true, 1]);
  });
  await portal.stop(true);
  await smtp.stop();
});

describe("the audit page takes the changes that were made elsewhere, as far as their part can be reached", () => {
  const change = {
    ...{ id: "aud_mfrggzdfmztwq2lknnwg23tpoa", action: "created", subscriptionId: "whk_1", events: ["order.created"] },
    ...{ url: "https://shop.example/hooks", at: "2026-03-01T10:00:00.000Z" },
    actor: { name: "bob@example.com", source: "192.0.2.1" },
  };

  test.each([
    ["both", { gateway: true, webhooks: true }],
    ["the gateway", { gateway: true, webhooks: false }],
    ["webhooks", { gateway: false, webhooks: true }],
    ["neither", { gateway: false, webhooks: false }],
  ])("%s", async (_, reached) => {
    let waiting = true;
    const accountId = "acc_mfrggzdfmztwq2lknnwg23tpoa";
    portal = await portalUnderTest({
      webhooks: {
        listChanges() {
          if (!reached.webhooks) throw new Error("Webhooks is away.");
          return {
            readAt: change.at,
            changes: waiting ? [{ ...change, owner: { accountId, environment: "live" } }] : [],
          };
        },
        acknowledgeChanges() {
          waiting = false;
          return {};
        },
      },
    });
    await portal.prisma.account.create({ data: { id: accountId, name: "Acme", readAt: new Date(0) } });
    portal.gateway.change("key.created", { id: accountId });
    if (!reached.gateway) portal.gateway.away.add("listChanges");
    const page = await portal.request("/developers/audit", { headers: { cookie: await portal.signedIn(accountId) } });
    // The form names all changes.
    const html = (await page.text()).replace(/<form[\s\S]*?<\/form>/g, "");
    expect([page.status, html.includes("Key created"), html.includes("Subscription created")]).toEqual([
      200,
      reached.gateway,
      reached.webhooks,
    ]);
    const missing = portal.lines.filter(({ msg }) => msg === "the audit log is shown without the latest changes");
    const expected = Object.values(reached).filter((isReached) => !isReached);
    expect(missing).toHaveLength(expected.length);
    for (const { err } of missing) expect(err).toMatchObject({ type: expect.any(String), message: expect.any(String) });
  });
});
