import { setTimeout as wait } from "node:timers/promises";
import { type Loop, startLoop } from "@shipping/kit/process/loop";
import type { FailingSubscription } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { GatewayDeps } from "../../database/deps.js";
import { mailOf } from "../../mail/mail-of.js";
import type { Mailer } from "../../mail/mailer.js";
import type { Clients } from "../../service-clients/clients.js";
import { failingLetter } from "./failing-mail.js";

const EVERY_MS = 5_000;
const CALL = { timeoutMs: 2_000 };
const STOP_MS = 1_000;

type Deps = Pick<GatewayDeps, "db" | "log"> & {
  clients: Pick<Clients, "webhooks">;
  mailer: Pick<Mailer, "send">;
  /** Where links lead to. */
  origin(): string;
};

interface Admin {
  accountId: string;
  accountName: string;
  email: string;
}

/**
 * Mails the admins of an account that its subscriptions have been failing for a day. Webhooks hands each out to one gateway, and is told when a
 * mail was taken, so there is one mail for each time that it fails; if a gateway is killed in between, there may be a second. What no
 * server takes is handed out again later.
 */
export async function tellFailingOnce(deps: Deps): Promise<{ told: number }> {
  const { subscriptions } = await deps.clients.webhooks.claimFailing({}, CALL);
  const owners = [...new Set(subscriptions.map(accountOf))];
  const admins = await adminsOf(deps, owners);
  const told = await Promise.all(
    owners.map((owner) => {
      const failing = subscriptions.filter((subscription) => accountOf(subscription) === owner);
      return tell(deps, { admins: admins.filter(({ accountId }) => accountId === owner), failing });
    }),
  );
  return { told: told.filter(Boolean).length };
}

/** Runs now and then. Its end does not wait for mails that nobody takes. */
export function tellFailing(deps: Deps): Loop {
  const once = () =>
    tellFailingOnce(deps).catch((err) => {
      deps.log.warn({ err }, "alerts about failing subscriptions could not be sent; they are retried");
    });
  const loop = startLoop({ name: "tell-failing", everyMs: EVERY_MS, log: deps.log, once });
  return { ...loop, stop: () => Promise.race([loop.stop(), wait(STOP_MS, undefined, { ref: false })]) };
}

const accountOf = ({ owner }: FailingSubscription) => owner?.accountId ?? "";

// One mail of all that fail: a receiver that is down has often several.
async function tell(
  { clients, mailer, origin }: Deps,
  { admins, failing }: { admins: readonly Admin[]; failing: readonly FailingSubscription[] },
): Promise<boolean> {
  const sent = await Promise.all(
    admins.map(({ email, accountName }) =>
      mailer.send(mailOf(email, failingLetter({ accountName, origin: origin(), subscriptions: failing }))),
    ),
  );
  // An account without an admin has nobody to tell, now or later.
  if (sent.length > 0 && !sent.includes(true)) return false;
  await clients.webhooks.acknowledgeFailing({ subscriptionIds: failing.map((each) => each.subscriptionId) }, CALL);
  return sent.length > 0;
}

// An invited person who has not signed in yet may be the wrong one.
async function adminsOf({ db }: Deps, accountIds: readonly string[]): Promise<Admin[]> {
  if (accountIds.length === 0) return [];
  return db.run<Admin>(sql`
    SELECT a.id AS "accountId", a.name AS "accountName", m.email
    FROM accounts a JOIN account_members m ON m.account_id = a.id
    WHERE a.id = ANY (${accountIds}::text[]) AND m.role = 'admin' AND m.invited_at IS NULL
    ORDER BY m.created_at, m.id`);
}
