import { ConnectError, createRouterTransport } from "@connectrpc/connect";
import type { Environment } from "@shipping/kit/caller";
import { createLog } from "@shipping/kit/process/log";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import { claimMails } from "../mail/mails.js";
import { clientsTo } from "../testing/clients-to.js";
import { portalDatabase } from "../testing/portal-database.js";
import { sendAlerts, sendAlertsOnce, writeAlert } from "./send-alerts.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());

interface Failing {
  accountId: string;
  id?: string;
  environment?: Environment;
  url?: string;
}

/** Failing subscriptions, and the record of acknowledgements and emails. */
function failingWith(kept: readonly Failing[] | "away") {
  const acknowledged = new Set<string>();
  const lines: string[] = [];
  const log = createLog({ part: "portal", destination: { write: (line) => void lines.push(line) } });
  const transport = createRouterTransport(({ service }) => {
    service(WebhooksService, {
      claimFailing() {
        if (kept === "away") throw new ConnectError("nobody is there");
        const subscriptions = kept.map(
          ({ accountId, id = "whk_1", environment = "live", url = "https://shop.example.com/" }) => ({
            owner: { accountId, environment },
            subscriptionId: id,
            url,
            failingSince: "2026-03-01T10:07:42.000Z",
            lastFailure: { reason: "tls_expired" },
          }),
        );
        return { subscriptions: subscriptions.filter(({ subscriptionId }) => !acknowledged.has(subscriptionId)) };
      },
      acknowledgeFailing({ subscriptionIds }) {
        for (const id of subscriptionIds) acknowledged.add(id);
        return {};
      },
    });
  });
  const { clients } = clientsTo(transport);
  const deps = { db: portal.db, clients, log, origin: () => "https://ship.example" };
  return { deps, acknowledged, lines };
}

/** The emails that wait. Leases them, so that each is returned once. */
async function written() {
  const mails = await Promise.all((await claimMails(portal, 100)).map(writeAlert));
  return mails.sort((one, other) => one.to.localeCompare(other.to));
}

async function accountWith(...members: { email: string; role?: string; invited?: boolean }[]): Promise<string> {
  const accountId = await portal.newAccount();
  for (const { email, role = "admin", invited = false } of members) {
    await portal.db.run(sql`
      INSERT INTO account_members (id, account_id, email, role, created_at, invited_at)
      VALUES (${`mem_${accountId}_${email}`}, ${accountId}, ${email}, ${role}, now(), ${invited ? new Date() : null})`);
  }
  return accountId;
}

test("only admins get an email, with host, time, reason, remedy and link", async () => {
  const accountId = await accountWith(
    { email: "ada@example.com" },
    { email: "bob@example.com" },
    { email: "vera@example.com", role: "viewer" },
    { email: "not-yet@example.com", invited: true },
  );
  const { deps } = failingWith([{ accountId, url: "https://shop.example.com/hooks/mine?token=secret" }]);
  expect([await sendAlertsOnce(deps), await sendAlertsOnce(deps)]).toEqual([{ alerted: 1 }, { alerted: 0 }]);
  const sent = await written();
  expect(sent.map(({ to }) => to)).toEqual(["ada@example.com", "bob@example.com"]);
  const [{ subject, text, html } = { subject: "", text: "", html: "" }] = sent;
  expect(subject).toBe("Webhooks to shop.example.com have been failing for a day");
  expect(text).toContain(
    "No live events have been delivered to shop.example.com since 2026-03-01 10:07 UTC. Last failure: The certificate has expired. Renew the certificate",
  );
  expect(text).toContain("https://ship.example/developers/live/webhooks/whk_1");
  expect(text + html).not.toMatch(/token|hooks\/mine/);
});

test("several subscriptions of an account share an email, which lists twenty at most; another account gets its own", async () => {
  const one = await accountWith({ email: "one@example.com" });
  const other = await accountWith({ email: "other@example.com" });
  const { deps, acknowledged } = failingWith([
    ...Array.from({ length: 23 }, (_, n) => ({ accountId: one, id: `whk_${n}` })),
    { accountId: other, id: "whk_other", environment: "sandbox" },
  ]);
  expect(await sendAlertsOnce(deps)).toEqual({ alerted: 2 });
  const sent = await written();
  const [toOne, toOther] = ["one@example.com", "other@example.com"].map((to) => sent.find((mail) => mail.to === to));
  expect(toOne?.subject).toMatch(/^23 webhook subscriptions of .+ have been failing for a day$/);
  expect(toOne?.text).toContain("And 3 more.");
  expect(toOne?.text).not.toContain("whk_other");
  expect(toOther?.text).toContain("/developers/sandbox/webhooks/whk_other");
  expect(acknowledged.size).toBe(24);
});

test("nothing is acknowledged before the emails are stored", async () => {
  const accountId = await accountWith({ email: "ada@example.com" });
  const { deps, acknowledged } = failingWith([{ accountId }]);
  const run: typeof portal.db.run = async (statement) => {
    if (statement.text.includes("INSERT INTO mails")) throw new Error("The database is down.");
    return portal.db.run(statement);
  };
  await expect(sendAlertsOnce({ ...deps, db: { ...portal.db, run } })).rejects.toThrow("The database is down.");
  expect([acknowledged.size, await written()]).toEqual([0, []]);
  expect(await sendAlertsOnce(deps)).toEqual({ alerted: 1 });
  expect([acknowledged.size, (await written()).length]).toEqual([1, 1]);
});

test("a subscription of an account without admins, or of an erased account, is acknowledged", async () => {
  const accountId = await accountWith({ email: "vera@example.com", role: "viewer" });
  const { deps, acknowledged } = failingWith([
    { accountId, id: "whk_a" },
    { accountId: "acc_gone", id: "whk_b" },
  ]);
  expect(await sendAlertsOnce(deps)).toEqual({ alerted: 0 });
  expect([await written(), acknowledged.size]).toEqual([[], 2]);
});

test("while the webhooks service is down, the log says so and no email is sent", async () => {
  const { deps, lines } = failingWith("away");
  const loop = sendAlerts(deps);
  loop.wake();
  await loop.stop();
  expect(lines).toEqual([
    expect.stringContaining("alerts about failing subscriptions could not be sent; they are retried"),
  ]);
});
