import type { Environment } from "@shipping/kit/caller";
import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { AREA_PATH } from "../page/page.js";
import { Chips, Text, Time } from "../page/text.js";
import type { Subscription } from "./subscriptions.js";

/** A list of subscriptions: where they point, and how they are. */
export function SubscriptionTable(props: {
  subscriptions: readonly Subscription[];
  health: ReadonlyMap<string, SubscriptionHealth>;
  environment: Environment;
  mayChange: boolean;
}) {
  const { subscriptions, health, environment, mayChange } = props;
  const headings = ["Endpoint", "Status", "Last success", "Events", ...(mayChange ? ["Disable"] : [])];
  return (
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {subscriptions.map((subscription) => (
          <Row
            subscription={subscription}
            health={health.get(subscription.id)}
            path={`${AREA_PATH}/${environment}/webhooks/${subscription.id}`}
            mayChange={mayChange}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: {
  subscription: Subscription;
  health: SubscriptionHealth | undefined;
  path: string;
  mayChange: boolean;
}) {
  const { subscription, health, path, mayChange } = props;
  const { id, url, events, status, disabled_at: disabledAt } = subscription;
  return (
    <tr class={status === "active" ? undefined : "over"}>
      <td data-label="Endpoint">
        <span>
          <a href={path}>
            <Text>{url}</Text>
          </a>
          <code class="sub">{id}</code>
        </span>
      </td>
      <td data-label="Status">
        <StateTag state={health?.state ?? status} since={health?.failingSince ?? disabledAt} />
      </td>
      <td data-label="Last success">
        {health?.lastSuccessAt ? <Time at={new Date(health.lastSuccessAt)} /> : "None yet"}
      </td>
      <td data-label="Events">
        <Chips words={events} />
      </td>
      {mayChange && (
        <td>
          {status === "active" && (
            <a class="danger-link" href={`${path}/disable`} aria-label={`Disable ${id}`}>
              Disable
            </a>
          )}
        </td>
      )}
    </tr>
  );
}

const TAGS: Record<string, { words: string; tone: string }> = {
  active: { words: "Active", tone: "good" },
  failing: { words: "Failing", tone: "danger" },
  disabled: { words: "Disabled", tone: "" },
};

/** The state of a subscription, and since when, unless it is as it should be. */
export function StateTag({ state, since }: { state: string; since?: string | undefined }) {
  const { words, tone } = TAGS[state] ?? { words: state, tone: "" };
  return (
    <span>
      <span class={`tag ${tone}`.trim()}>{words}</span>
      {since && (
        <span class="sub">
          since <Time at={new Date(since)} />
        </span>
      )}
    </span>
  );
}
