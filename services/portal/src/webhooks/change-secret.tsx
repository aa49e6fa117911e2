import { ACTIVE_WEBHOOKS_LIMIT } from "@shipping/api/limits";
import { AskLink, ButtonLink, Text, TimeAgo } from "../page/text.js";
import type { Subscription } from "../read/read-webhooks.js";

/** An active subscription with the same URL: one of the two with which a secret is changed. */
export interface Twin {
  id: string;
  createdAt: string;
  lastSuccessAt: string | undefined;
}

interface Change {
  list: string;
  subscription: Subscription;
  /** The subscription's own last success and pending events. */
  lastSuccessAt: string | undefined;
  pending: number;
  twins: readonly Twin[];
  /** How many subscriptions are active in the environment. */
  active: number;
  now: Date;
}

/** How to change the secret of a subscription with a second one, step by step, with the state of each step. */
export function ChangeSecret(change: Change) {
  const { subscription, twins } = change;
  const newer = twins.filter(({ createdAt }) => createdAt > subscription.created_at).at(-1);
  const older = twins.find(({ createdAt }) => createdAt < subscription.created_at);
  return (
    <>
      <h2 id="secret">Change the secret</h2>
      <p>
        The secret of a subscription never changes. A second subscription to the same URL has another one, and no event
        is missed if both are active for a while.{" "}
        <a href="/docs/webhook-subscriptions#rotate-a-secret">More about changing secrets</a>
      </p>
      {older && !newer ? <NewOne {...change} older={older} /> : <OldOne {...change} newer={newer} />}
    </>
  );
}

/** The steps on the page of the subscription whose secret is to go. */
function OldOne({ list, subscription, pending, newer, active, now }: Change & { newer: Twin | undefined }) {
  return (
    <ol class="secret-steps">
      <li>
        {newer ? (
          <>
            Done: <a href={`${list}/${newer.id}`}>the second subscription</a> was created{" "}
            <TimeAgo at={newer.createdAt} now={now} />.
          </>
        ) : active >= ACTIVE_WEBHOOKS_LIMIT ? (
          <>
            This environment has {ACTIVE_WEBHOOKS_LIMIT} active subscriptions, the maximum. Disable another one first.
          </>
        ) : (
          <>
            Create a second subscription with the same URL and events. Its page shows the new secret once.
            <span class="step-action">
              <ButtonLink href={`${list}/new?like=${subscription.id}`}>Create the second subscription</ButtonLink>
            </span>
          </>
        )}
      </li>
      <li>
        Let your receiver accept either secret. The clients take a list of secrets. Until then, deliveries with the new
        secret fail, and are sent again.
      </li>
      <li>
        Wait until deliveries with the new secret arrive, and this subscription has no pending events.
        {newer && <Waiting lastSuccessAt={newer.lastSuccessAt} pending={pending} now={now} />}
      </li>
      <li>
        Disable this subscription, and remove the old secret from your receiver.
        {newer && (
          <span class="step-action">
            <AskLink class="danger-link" href={`${list}/${subscription.id}/disable`}>
              Disable the subscription with the old secret
            </AskLink>
          </span>
        )}
      </li>
    </ol>
  );
}

/** Lists the steps that are left, on the page of the second subscription. */
function NewOne({ list, subscription, lastSuccessAt, older, now }: Change & { older: Twin }) {
  return (
    <p>
      This is the second subscription to <Text>{subscription.url}</Text>.{" "}
      {lastSuccessAt ? (
        <>
          An event with its secret was delivered <TimeAgo at={lastSuccessAt} now={now} />.
        </>
      ) : (
        "No event with its secret was delivered yet."
      )}{" "}
      The next steps are on the page of <a href={`${list}/${older.id}#secret`}>the subscription with the old secret</a>.
    </p>
  );
}

function Waiting(props: { lastSuccessAt: string | undefined; pending: number; now: Date }) {
  const { lastSuccessAt, pending, now } = props;
  return (
    <span class="step-state">
      {lastSuccessAt ? (
        <>
          New secret: delivered <TimeAgo at={lastSuccessAt} now={now} />.
        </>
      ) : (
        "New secret: nothing delivered yet."
      )}{" "}
      {pending === 0
        ? "Old secret: no pending events."
        : `Old secret: ${pending.toLocaleString("en")} pending ${pending === 1 ? "event" : "events"}.`}
    </span>
  );
}
