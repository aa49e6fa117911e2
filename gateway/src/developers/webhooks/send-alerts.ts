import { setTimeout as wait } from "node:timers/promises";
import { type Loop, startLoop } from "@shipping/kit/process/loop";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { FailingSubscription } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { GatewayDeps } from "../../database/deps.js";
import { type Letter, toMail } from "../../mail/letter.js";
import type { Mailer } from "../../mail/mailer.js";
import type { Clients } from "../../service-clients/clients.js";
import { AREA_PATH } from "../page/page.js";
import { wordsOf } from "./failure-words.js";
import { hostOf } from "./read-subscriptions.js";

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
export async function sendAlertsOnce(deps: Deps): Promise<{ told: number }> {
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
export function sendAlerts(deps: Deps): Loop {
  const once = () =>
    sendAlertsOnce(deps).catch((err) => {
      deps.log.warn({ err }, "alerts about failing subscriptions could not be sent; they are retried");
    });
  const loop = startLoop({ name: "send-alerts", everyMs: EVERY_MS, log: deps.log, once });
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
      mailer.send(toMail(email, failingLetter({ accountName, origin: origin(), subscriptions: failing }))),
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

/** The most subscriptions that the email lists; an account can have ten active ones in each environment. */
const MAX_NAMED = 20;

/**
 * The email to the admins of an account about subscriptions that have been failing for a day. It shows only the host of a URL: path and query may
 * hold a token.
 */
function failingLetter(about: {
  accountName: string;
  origin: string;
  subscriptions: readonly FailingSubscription[];
}): Letter {
  const { accountName, origin, subscriptions } = about;
  const named = subscriptions.slice(0, MAX_NAMED);
  const more = subscriptions.length - named.length;
  const [first] = named;
  return {
    subject:
      first && subscriptions.length === 1
        ? `Webhooks to ${hostOf(first.url)} have been failing for a day`
        : `${subscriptions.length} webhook subscriptions of ${accountName} have been failing for a day`,
    before: [...named.map(paragraphOf), ...(more > 0 ? [`And ${more} more.`] : [])],
    links: named.map(({ url, subscriptionId, owner }) => ({
      words: `Health of the ${owner?.environment} subscription to ${hostOf(url)}`,
      url: `${origin}${AREA_PATH}/${owner?.environment}/webhooks/${subscriptionId}`,
    })),
    after: [
      `We stop sending an event after ${MAX_ATTEMPTS} failed attempts. Once your receiver works again, retrieve the missed changes from the API.`,
      `You receive this email because you are an admin of ${accountName}. We send it once. You get another one only if deliveries recover and then fail for a day again.`,
    ],
  };
}

function paragraphOf({ url, owner, failingSince, lastFailure }: FailingSubscription): string {
  const since = `${failingSince.slice(0, 10)} ${failingSince.slice(11, 16)} UTC`;
  const { what, remedy } = wordsOf(lastFailure ?? { reason: "" });
  return `No ${owner?.environment} events have been delivered to ${hostOf(url)} since ${since}. Last failure: ${what}. ${remedy}`;
}
