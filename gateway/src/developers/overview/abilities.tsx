import type { Environment } from "@shipping/kit/caller";
import { ACTIVE_KEYS_LIMIT } from "../../accounts/manage-keys.js";
import { ACTIVE_WEBHOOKS_LIMIT, capabilitiesOf } from "../../api/endpoints/account.js";

const WORDS: Record<keyof ReturnType<typeof capabilitiesOf>, string> = {
  orders: "Orders",
  shipments: "Shipments",
  webhooks: "Webhooks",
  rates: "Rates",
  labels: "Labels",
  tracking: "Tracking",
};

/** What an environment can do, and how much of it. */
export function Abilities({ environment, requestsPerMinute }: { environment: Environment; requestsPerMinute: number }) {
  const capabilities = Object.entries(capabilitiesOf(environment)) as [keyof typeof WORDS, boolean][];
  const named = (wanted: boolean) => capabilities.filter(([, can]) => can === wanted).map(([name]) => WORDS[name]);
  return (
    <>
      <h2>Capabilities and limits</h2>
      <dl>
        <dt>Available</dt>
        <dd>{named(true).join(", ")}</dd>
        {named(false).length > 0 && (
          <>
            <dt>Not available</dt>
            <dd>{named(false).join(", ")} (no carrier is configured)</dd>
          </>
        )}
        <dt>Rate limit</dt>
        <dd>{requestsPerMinute} requests per minute per key</dd>
        <dt>API keys</dt>
        <dd>Up to {ACTIVE_KEYS_LIMIT} active keys</dd>
        <dt>Webhooks</dt>
        <dd>Up to {ACTIVE_WEBHOOKS_LIMIT} active subscriptions</dd>
      </dl>
    </>
  );
}
