import { type Loop, startLoop } from "@shipping/kit/process/loop";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { FailingSubscription } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { describeFailure } from "../events/failure-words.js";
import type { Mail } from "../mail/deliver.js";
import { type Letter, toMail } from "../mail/letter.js";
import { type WaitingMail, writeMail } from "../mail/mails.js";
import { DAY_MINUTES } from "../members/count-mails.js";
import { AREA_PATH, type PageDeps } from "../page/page.js";
import { endpointHost } from "../read/read-webhooks.js";

const EVERY_MS = 5_000;
const CALL = { timeoutMs: 2_000 };
/** An alert that no mail server has accepted by then is given up. */
const ALERT_MINUTES = 7 * DAY_MINUTES;
/** The most subscriptions that an email lists. An account can have ten active ones in each environment. */
const MAX_LISTED = 20;

type Deps = Pick<PortalDeps, "db" | "log"> & {
  clients: Pick<PageDeps["clients"], "webhooks">;
  /** Scheme and host of the links in emails. */
  origin(): string;
};

/** Has alerts sent in the background. */
export function sendAlerts(deps: Deps): Loop {
  const once = () =>
    sendAlertsOnce(deps).catch((err) => {
      deps.log.warn({ err }, "alerts about failing subscriptions could not be sent; they are retried");
    });
  return startLoop({ name: "send-alerts", everyMs: EVERY_MS, log: deps.log, once });
}

/**
 * Writes emails to the admins of accounts whose subscriptions have been failing for a day. The webhooks service gives each subscription to one
 * portal, and gives it out again later unless the portal acknowledges it. So each failure causes one email; a second one if the portal is killed
 * between writing and acknowledging. `alerted` counts accounts.
 */
export async function sendAlertsOnce(deps: Deps): Promise<{ alerted: number }> {
  const { subscriptions } = await deps.clients.webhooks.claimFailing({}, CALL);
  const accountIds = [...new Set(subscriptions.map(accountId))];
  const alerted = await Promise.all(
    accountIds.map((id) => {
      const failing = subscriptions.filter((each) => accountId(each) === id);
      return alertAdmins(deps, id, failing);
    }),
  );
  return { alerted: alerted.filter(Boolean).length };
}

const accountId = ({ owner }: FailingSubscription) => owner?.accountId ?? "";

// One email for all failing subscriptions of an account: a receiver that is down often has several. Invited members who have not signed in yet get no
// email, since the email address may be wrong. An account without admins is acknowledged, too: it has no recipient now or later.
async function alertAdmins({ db, clients, origin }: Deps, id: string, failing: readonly FailingSubscription[]) {
  const [account] = await db.run<{ name: string }>(sql`SELECT name FROM accounts WHERE id = ${id}`);
  const content = alertLetter(failing, account?.name ?? "", origin());
  const from = sql`account_members WHERE account_id = ${id} AND role = 'admin' AND invited_at IS NULL`;
  const mail = { kind: "alert", memberId: sql`id`, recipient: sql`email`, minutes: ALERT_MINUTES } as const;
  const written = await db.run(writeMail({}, { ...mail, content, from }));
  await clients.webhooks.acknowledgeFailing({ subscriptionIds: failing.map((each) => each.subscriptionId) }, CALL);
  return written.length > 0;
}

/** Writes the email with an alert. */
export async function writeAlert({ recipient, content }: WaitingMail): Promise<Mail> {
  return toMail(recipient, content as Letter);
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
