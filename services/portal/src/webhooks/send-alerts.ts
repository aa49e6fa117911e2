import { setTimeout as wait } from "node:timers/promises";
import { type Loop, startLoop } from "@shipping/kit/process/loop";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { FailingSubscription } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { describeFailure } from "../events/failure-words.js";
import { type Letter, toMail } from "../mail/letter.js";
import type { Mailer } from "../mail/mailer.js";
import { AREA_PATH, type PageDeps } from "../page/page.js";
import { endpointHost } from "../read/read-subscriptions.js";

const EVERY_MS = 5_000;
const CALL = { timeoutMs: 2_000 };
const STOP_MS = 1_000;
/** The most subscriptions that an email lists. An account can have ten active ones in each environment. */
const MAX_LISTED = 20;

type Deps = Pick<PortalDeps, "db" | "log"> & {
  clients: Pick<PageDeps["clients"], "webhooks">;
  mailer: Pick<Mailer, "send">;
  /** Scheme and host of the links in emails. */
  origin(): string;
};

interface Admin {
  accountId: string;
  accountName: string;
  email: string;
}

/** Sends alerts in the background. Stopping does not wait for a mail server that does not answer. */
export function sendAlerts(deps: Deps): Loop {
  const once = () =>
    sendAlertsOnce(deps).catch((err) => {
      deps.log.warn({ err }, "alerts about failing subscriptions could not be sent; they are retried");
    });
  const loop = startLoop({ name: "send-alerts", everyMs: EVERY_MS, log: deps.log, once });
  return { ...loop, stop: () => Promise.race([loop.stop(), wait(STOP_MS, undefined, { ref: false })]) };
}

/**
 * Emails the admins of accounts whose subscriptions have been failing for a day. The webhooks service gives each subscription to one portal,
 * and gives it out again later unless the portal acknowledges it. So each failure causes one email; a second one if the portal is killed
 * between sending and acknowledging. `alerted` counts accounts.
 */
export async function sendAlertsOnce(deps: Deps): Promise<{ alerted: number }> {
  const { subscriptions } = await deps.clients.webhooks.claimFailing({}, CALL);
  const accountIds = [...new Set(subscriptions.map(accountId))];
  const admins = await findAdmins(deps, accountIds);
  const alerted = await Promise.all(
    accountIds.map((id) => {
      const failing = subscriptions.filter((subscription) => accountId(subscription) === id);
      return alertAdmins(deps, { admins: admins.filter((admin) => admin.accountId === id), failing });
    }),
  );
  return { alerted: alerted.filter(Boolean).length };
}

const accountId = ({ owner }: FailingSubscription) => owner?.accountId ?? "";

// Invited members who have not signed in yet get no email, since the email address may be wrong.
async function findAdmins({ db }: Deps, accountIds: readonly string[]): Promise<Admin[]> {
  if (accountIds.length === 0) return [];
  return db.run<Admin>(sql`
    SELECT a.id AS "accountId", a.name AS "accountName", m.email
    FROM accounts a JOIN account_members m ON m.account_id = a.id
    WHERE a.id = ANY (${accountIds}::text[]) AND m.role = 'admin' AND m.invited_at IS NULL
    ORDER BY m.created_at, m.id`);
}

// One email for all failing subscriptions of an account: a receiver that is down often has several.
async function alertAdmins(
  { clients, mailer, origin }: Deps,
  { admins, failing }: { admins: readonly Admin[]; failing: readonly FailingSubscription[] },
): Promise<boolean> {
  const sent = await Promise.all(
    admins.map(({ email, accountName }) => mailer.send(toMail(email, alertLetter(failing, accountName, origin())))),
  );
  // An account without admins is acknowledged, too: it has no recipient now or later.
  if (sent.length > 0 && !sent.includes(true)) return false;
  await clients.webhooks.acknowledgeFailing({ subscriptionIds: failing.map((each) => each.subscriptionId) }, CALL);
  return sent.length > 0;
}

/** The email shows only the host of each URL, because path and query may contain a token. */
function alertLetter(subscriptions: readonly FailingSubscription[], accountName: string, origin: string): Letter {
  const listed = subscriptions.slice(0, MAX_LISTED);
  const more = subscriptions.length - listed.length;
  const [first] = listed;
  return {
    subject:
      first && subscriptions.length === 1
        ? `Webhooks to ${endpointHost(first.url)} have been failing for a day`
        : `${subscriptions.length} webhook subscriptions of ${accountName} have been failing for a day`,
    before: [...listed.map(describeFailing), ...(more > 0 ? [`And ${more} more.`] : [])],
    links: listed.map(({ url, subscriptionId, owner }) => ({
      words: `Health of the ${owner?.environment} subscription to ${endpointHost(url)}`,
      url: `${origin}${AREA_PATH}/${owner?.environment}/webhooks/${subscriptionId}`,
    })),
    after: [
      `We stop sending an event after ${MAX_ATTEMPTS} failed attempts. Once your receiver works again, retrieve the missed changes from the API.`,
      `You receive this email because you are an admin of ${accountName}. We send it once. You get another one only if deliveries recover and then fail for a day again.`,
    ],
  };
}

function describeFailing({ url, owner, failingSince, lastFailure }: FailingSubscription): string {
  const since = `${failingSince.slice(0, 10)} ${failingSince.slice(11, 16)} UTC`;
  const { what, remedy } = describeFailure(lastFailure ?? { reason: "" });
  return `No ${owner?.environment} events have been delivered to ${endpointHost(url)} since ${since}. Last failure: ${what}. ${remedy}`;
}
