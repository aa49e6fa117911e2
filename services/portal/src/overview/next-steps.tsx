import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { describeFailure } from "../events/failure-words.js";
import { keyName } from "../keys/key-name.js";
import { AREA_PATH } from "../page/page.js";
import { ButtonLink, Note, Since, Text, Time } from "../page/text.js";
import { endpointHost } from "../read/read-webhooks.js";
import type { KeyInUse } from "./figures.js";

/** The steps that an account has taken. `label` is undefined if the environment has no labels. */
interface Done {
  key: boolean;
  label: boolean | undefined;
  webhook: boolean;
}

/** The steps of a new account. Renders nothing once all are done. Only admins get a button, since only they can take all steps. */
export function NextSteps({ base, isAdmin, done }: { base: string; isAdmin: boolean; done: Done }) {
  const steps = [
    {
      isDone: done.key,
      title: "Create an API key",
      why: "Your program needs one to call the API.",
      path: `${base}/keys/new`,
      button: "Create key",
    },
    {
      isDone: done.label,
      title: "Create your first label",
      why: "Create an order, a shipment and a label with commands that you can copy.",
      path: `${AREA_PATH}/quick-start`,
      button: "Open the quick start",
    },
    {
      isDone: done.webhook,
      title: "Subscribe to events",
      why: "Receive events as they happen instead of polling the API.",
      path: `${base}/webhooks/new`,
      button: "Create subscription",
    },
  ].filter(({ isDone }) => isDone !== undefined);
  const next = steps.find(({ isDone }) => !isDone);
  if (!next) return null;
  return (
    <section class="steps" aria-labelledby="next-steps">
      <h2 id="next-steps">Next steps</h2>
      <ol>
        {steps.map((step) => (
          <li class={step.isDone ? "done" : undefined}>
            <div>
              <strong>{step.title}</strong> {step.isDone && <span class="tag good">Done</span>}
              {!step.isDone && <p class="hint">{step.why}</p>}
            </div>
            {step === next && isAdmin && <ButtonLink href={step.path}>{step.button}</ButtonLink>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Warns about failing subscriptions and keys that expire within a week. Renders nothing if there are none. */
export function Attention(props: {
  base: string;
  subscriptions: readonly SubscriptionHealth[];
  /** The names of their endpoints, by ID. */
  names: ReadonlyMap<string, string>;
  keys: readonly KeyInUse[];
}) {
  const { base } = props;
  const failing = props.subscriptions.filter(({ state }) => state === "failing");
  const expiring = props.keys.filter(({ expiresSoon }) => expiresSoon);
  if (failing.length + expiring.length === 0) return null;
  return (
    <Note kind="danger">
      <ul class="attention">
        {failing.map(({ subscriptionId, url, lastFailure, failingSince }) => (
          <li>
            <strong>
              <a href={`${base}/webhooks/${subscriptionId}`}>
                <Text>{props.names.get(subscriptionId) ?? endpointHost(url)}</Text>
              </a>{" "}
              is failing
            </strong>
            <Since at={failingSince} />
            {lastFailure && `: ${describeFailure(lastFailure).what}.`}
          </li>
        ))}
        {expiring.map((key) => (
          <li>
            <strong>
              The key <Text>{keyName(key)}</Text> <code>…{key.lastFour}</code> expires
            </strong>{" "}
            {key.expiresAt && <Time at={key.expiresAt} />}. <a href={`${base}/keys`}>Rotate it</a> before then.
          </li>
        ))}
      </ul>
    </Note>
  );
}
