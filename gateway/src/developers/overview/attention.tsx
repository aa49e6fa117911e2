import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { nameOf } from "../keys/keys.js";
import { Note, Text, Time } from "../page/text.js";
import { wordsOf } from "../webhooks/failure-words.js";
import { hostOf } from "../webhooks/subscriptions.js";
import type { KeyInUse } from "./read-overview.js";

/** Lists failing subscriptions and keys that expire within a week. Renders nothing if there are none. */
export function Attention(props: {
  base: string;
  subscriptions: readonly SubscriptionHealth[];
  keys: readonly KeyInUse[];
}) {
  const failing = props.subscriptions.filter(({ state }) => state === "failing");
  const expiring = props.keys.filter(({ expiresSoon }) => expiresSoon);
  if (failing.length + expiring.length === 0) return null;
  return (
    <Note kind="danger">
      <ul class="attention">
        {failing.map((health) => (
          <li>
            <FailingSubscription base={props.base} health={health} />
          </li>
        ))}
        {expiring.map((key) => (
          <li>
            <ExpiringKey base={props.base} keyShown={key} />
          </li>
        ))}
      </ul>
    </Note>
  );
}

function FailingSubscription({ base, health }: { base: string; health: SubscriptionHealth }) {
  const { subscriptionId, url, lastFailure, failingSince } = health;
  return (
    <>
      <strong>
        <a href={`${base}/webhooks/${subscriptionId}`}>
          <Text>{hostOf(url)}</Text>
        </a>{" "}
        is failing
      </strong>
      {failingSince && (
        <>
          {" "}
          since <Time at={new Date(failingSince)} />
        </>
      )}
      {lastFailure && `: ${wordsOf(lastFailure).what}.`}
    </>
  );
}

function ExpiringKey({ base, keyShown }: { base: string; keyShown: KeyInUse }) {
  return (
    <>
      <strong>
        The key <Text>{nameOf(keyShown)}</Text> <code>…{keyShown.lastFour}</code> expires
      </strong>{" "}
      {keyShown.expiresAt && <Time at={keyShown.expiresAt} />}. <a href={`${base}/keys`}>Rotate it</a> before then.
    </>
  );
}
