import { randomBytes } from "node:crypto";
import { ConnectError, createRouterTransport } from "@connectrpc/connect";
import type { Environment } from "@shipping/kit/caller";
import { createLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { Deliver, Mail } from "../mail/deliver.js";
import { createMailer } from "../mail/mailer.js";
import { clientsTo } from "../testing/clients-to.js";
import { portalDatabase } from "../testing/portal-database.js";
import { sendAlerts, sendAlertsOnce } from "./send-alerts.js";

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

/** Failing subscriptions, a mailer, and the record of acknowledgements and emails. */
function failingWith(kept: readonly Failing[] | "away", deliver?: Deliver) {
  const acknowledged = new Set<string>();
  const sent: Mail[] = [];
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
  const mailer = createMailer({
    deliver: deliver ?? (async (mail) => void sent.push(mail)),
    log,
    metrics: createMetrics({ part: "portal", log }),
    waitsMs: [1],
    random: randomBytes,
  });
  const deps = { db: portal.db, clients, mailer, log, origin: () => "https://ship.example" };
  return { deps, acknowledged, sent, lines };
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
  const { deps, sent } = failingWith([{ accountId, url: "https://shop.example.com/hooks/mine?token=secret" }]);
  expect([await sendAlertsOnce(deps), await sendAlertsOnce(deps)]).toEqual([{ alerted: 1 }, { alerted: 0 }]);
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
  const { deps, sent, acknowledged } = failingWith([
    ...Array.from({ length: 23 }, (_, n) => ({ accountId: one, id: `whk_${n}` })),
    { accountId: other, id: "whk_other", environment: "sandbox" },
  ]);
  expect(await sendAlertsOnce(deps)).toEqual({ alerted: 2 });
  const [toOne, toOther] = ["one@example.com", "other@example.com"].map((to) => sent.find((mail) => mail.to === to));
  expect(toOne?.subject).toMatch(/^23 webhook subscriptions of .+ have been failing for a day$/);
  expect(toOne?.text).toContain("And 3 more.");
  expect(toOne?.text).not.toContain("whk_other");
  expect(toOther?.text).toContain("/developers/sandbox/webhooks/whk_other");
  expect(acknowledged.size).toBe(24);
});

test("an email that no server accepts is not acknowledged; one admin who got it is enough", async () => {
  const accountId = await accountWith({ email: "wrong@example.com" }, { email: "right@example.com" });
  const refuse: Deliver = () => Promise.reject(Object.assign(new Error("No."), { responseCode: 550 }));
  const away = failingWith([{ accountId }], refuse);
  expect(await sendAlertsOnce(away.deps)).toEqual({ alerted: 0 });
  expect(away.acknowledged.size).toBe(0);
  const half = failingWith([{ accountId }], (mail) =>
    mail.to === "wrong@example.com" ? refuse(mail) : Promise.resolve(),
  );
  expect(await sendAlertsOnce(half.deps)).toEqual({ alerted: 1 });
  expect(half.acknowledged.size).toBe(1);
});

test("a subscription of an account without admins, or of an erased account, is acknowledged", async () => {
  const accountId = await accountWith({ email: "vera@example.com", role: "viewer" });
  const { deps, sent, acknowledged } = failingWith([
    { accountId, id: "whk_a" },
    { accountId: "acc_gone", id: "whk_b" },
  ]);
  expect(await sendAlertsOnce(deps)).toEqual({ alerted: 0 });
  expect([sent.length, acknowledged.size]).toEqual([0, 2]);
});

test("stopping does not wait for a mail server that never answers", async () => {
  const accountId = await accountWith({ email: "ada@example.com" });
  let asked: (() => void) | undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const { deps } = failingWith([{ accountId }], () => {
    asked?.();
    return new Promise(() => undefined);
  });
  const loop = sendAlerts(deps);
  loop.wake();
  await isAsked;
  await loop.stop();
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
