import type { Environment } from "@shipping/kit/caller";
import { ACTIVE_KEYS_LIMIT } from "../../accounts/manage-keys.js";
import { ACTIVE_WEBHOOKS_LIMIT, getCapabilities } from "../../api/endpoints/account.js";
import type { HourOfRequests, Refusals } from "../../request-log/count-requests.js";
import { nameOf } from "../keys/keys.js";
import { BarChart, type BarKind } from "../page/bar-chart.js";
import { Text, Time } from "../page/text.js";
import { type KeyInUse, type LabelsMade, MAX_LABELS } from "./overview.js";

const KINDS: readonly BarKind[] = [
  { name: "Successful", tone: "good" },
  { name: "Refused (4xx)", tone: "warning" },
  { name: "Failed (5xx)", tone: "danger" },
];

/** The requests of the last day by hour, and why some were refused. */
export function RequestFigures(props: {
  base: string;
  hours: readonly HourOfRequests[];
  refusals: readonly Refusals[];
}) {
  const { base, hours, refusals } = props;
  const bars = hours.map(({ hour, reads, writes, replays, refused, failed }) => ({
    at: hour,
    counts: [reads + writes + replays, refused, failed],
  }));
  return (
    <>
      <h2>Requests in the last 24 hours</h2>
      <BarChart label="Requests by hour" kinds={KINDS} bars={bars} />
      {refusals.length > 0 && <RefusalTable base={base} refusals={refusals} />}
    </>
  );
}

function RefusalTable({ base, refusals }: { base: string; refusals: readonly Refusals[] }) {
  return (
    <table>
      <caption>Errors by code</caption>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Status</th>
          <th scope="col">Requests</th>
          <th scope="col">Explanation</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ code, status, count }) => (
          <tr>
            <td data-label="Code">
              <a href={`${base}/requests?status=${code}`}>
                <code>{code}</code>
              </a>
            </td>
            <td data-label="Status">{status}</td>
            <td data-label="Requests">{count.toLocaleString("en")}</td>
            <td data-label="Explanation">
              <a href={`/docs/errors#${code}`} aria-label={`How to fix it: ${code}`}>
                How to fix it
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many labels were made lately. */
export function LabelFigures({ base, labels }: { base: string; labels: LabelsMade }) {
  return (
    <>
      <h2>Labels created</h2>
      <dl class="figures">
        <div>
          <dt>Last 24 hours</dt>
          <dd>{inWords(labels.lastDay)}</dd>
        </div>
        <div>
          <dt>Last 30 days</dt>
          <dd>{inWords(labels.lastMonth)}</dd>
        </div>
      </dl>
      <p>
        <a href={`${base}/labels`}>All labels</a>
      </p>
    </>
  );
}

function inWords(count: number): string {
  return count > MAX_LABELS ? `more than ${MAX_LABELS.toLocaleString("en")}` : count.toLocaleString("en");
}

/** How much of its limit each key has used in the last minute. */
export function KeyUsage(props: { base: string; keys: readonly KeyInUse[]; limit: number; isAdmin: boolean }) {
  const { base, keys, limit, isAdmin } = props;
  return (
    <>
      <h2>Requests per key in the last minute</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Used</th>
            <th scope="col">Last used</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr>
              <td data-label="Key">
                <span>
                  <Text>{nameOf(key)}</Text> <code class="sub">…{key.lastFour}</code>
                </span>
              </td>
              <td data-label="Used">
                <span class="nowrap">
                  <meter
                    min={0}
                    max={limit}
                    high={limit * 0.8}
                    value={key.requests}
                    aria-label={`Requests of the key that ends in ${key.lastFour}`}
                  />
                  {key.requests} of {limit}
                </span>
              </td>
              <td data-label="Last used">{key.lastUsedAt ? <Time at={key.lastUsedAt} /> : "Never"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="paging">
        <a href={`${base}/keys`}>All API keys</a>
        {isAdmin && <a href={`${base}/keys/new`}>Create key</a>}
      </p>
    </>
  );
}

const WORDS: Record<keyof ReturnType<typeof getCapabilities>, string> = {
  orders: "Orders",
  shipments: "Shipments",
  webhooks: "Webhooks",
  rates: "Rates",
  labels: "Labels",
  tracking: "Tracking",
};

/** What an environment can do, and how much of it. */
export function Abilities({ environment, requestsPerMinute }: { environment: Environment; requestsPerMinute: number }) {
  const capabilities = Object.entries(getCapabilities(environment)) as [keyof typeof WORDS, boolean][];
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
