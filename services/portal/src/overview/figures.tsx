import { ACTIVE_KEYS_LIMIT, ACTIVE_WEBHOOKS_LIMIT, getCapabilities } from "@shipping/api/limits";
import type { Environment } from "@shipping/kit/caller";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import type { CountRequestsResponse, Key, KeyUsage as UsedKey } from "@shipping/proto/shipping/access/v1/access_pb";
import { keyName } from "../keys/key-name.js";
import { BarChart, type BarKind } from "../page/bar-chart.js";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";
import { Fact, Facts, Table } from "../page/table.js";
import { Text, Time } from "../page/text.js";

/** A key, whether it expires soon, and its requests in the last minute, as the rate limit counts them. */
export type KeyInUse = Omit<Key, "$typeName"> & Pick<UsedKey, "expiresSoon" | "requests">;

/** Reads the active keys of an environment, most recently used first, and how many requests each may make in a minute. */
export async function readKeyUsage(deps: PageDeps, request: PageRequest) {
  const { keys, requestsPerMinute } = await ask(request, deps.access.listKeyUsage, {});
  const used = keys.flatMap(({ key, expiresSoon, requests }): KeyInUse[] =>
    key ? [{ ...key, expiresSoon, requests }] : [],
  );
  return { keys: used, requestsPerMinute };
}

/** Numbers of created labels, including voided ones. A number above `MAX_LABELS` means "more than that". */
interface LabelCounts {
  lastDay: number;
  lastMonth: number;
  /** True if a label was ever created. */
  any: boolean;
}

const MAX_LABELS = 10_000;

const DAY_MS = 86_400_000;

export async function countLabels(deps: PageDeps, request: PageRequest): Promise<LabelCounts> {
  const since = (days: number) => new Date(deps.now().getTime() - days * DAY_MS).toISOString();
  const wanted = [
    { createdFrom: since(1), atMost: MAX_LABELS + 1 },
    { createdFrom: since(30), atMost: MAX_LABELS + 1 },
    { createdFrom: new Date(0).toISOString(), atMost: 1 },
  ];
  const { counts } = await ask(request, deps.clients.carrier.countLabels, { wanted });
  const [lastDay = 0, lastMonth = 0, ever = 0] = counts;
  return { lastDay, lastMonth, any: ever > 0 };
}

const KINDS: readonly BarKind[] = [
  { name: "Successful", tone: "good" },
  { name: "Client errors (4xx)", tone: "warning" },
  { name: "Server errors (5xx)", tone: "danger" },
];

/** The requests of the last 24 hours: by hour, oldest first; and errors by code, most frequent first. */
export function RequestFigures({ base, hours, refusals }: { base: string } & CountRequestsResponse) {
  const bars = hours.map(({ hour, reads, writes, replays, refused, failed }) => ({
    at: new Date(hour),
    counts: [reads + writes + replays, refused, failed],
  }));
  return (
    <>
      <h2>Requests in the last 24 hours</h2>
      <BarChart label="Requests by hour" kinds={KINDS} bars={bars} />
      {refusals.length > 0 && (
        <Table
          caption="Errors by code"
          columns={{
            Code: ({ code }) => (
              <a href={`${base}/requests?status=${code}`}>
                <code>{code}</code>
              </a>
            ),
            Status: ({ code }) => (Object.hasOwn(errors, code) ? errors[code as ErrorCode].status : undefined),
            Requests: ({ count }) => count.toLocaleString("en"),
            Explanation: ({ code }) => (
              <a href={`/docs/errors#${code}`} aria-label={`How to fix: ${code}`}>
                How to fix
              </a>
            ),
          }}
          rows={refusals}
        />
      )}
    </>
  );
}

export function LabelFigures({ base, labels }: { base: string; labels: LabelCounts }) {
  const format = (count: number) =>
    count > MAX_LABELS ? `more than ${MAX_LABELS.toLocaleString("en")}` : count.toLocaleString("en");
  return (
    <>
      <h2>Labels created</h2>
      <dl class="figures">
        <div>
          <Fact name="Last 24 hours">{format(labels.lastDay)}</Fact>
        </div>
        <div>
          <Fact name="Last 30 days">{format(labels.lastMonth)}</Fact>
        </div>
      </dl>
      <p>
        <a href={`${base}/labels`}>All labels</a>
      </p>
    </>
  );
}

export function KeyUsage(props: { base: string; keys: readonly KeyInUse[]; limit: number; isAdmin: boolean }) {
  const { base, keys, limit, isAdmin } = props;
  return (
    <>
      <h2>API key usage in the last minute</h2>
      <Table
        columns={{
          Key: (key) => (
            <span>
              <Text>{keyName(key)}</Text> <code class="sub">…{key.lastFour}</code>
            </span>
          ),
          Requests: ({ requests, lastFour }) => (
            <span class="nowrap">
              <meter
                min={0}
                max={limit}
                high={limit * 0.8}
                value={requests}
                aria-label={`Requests of the key that ends in ${lastFour}`}
              />
              {requests} of {limit}
            </span>
          ),
          "Last used": ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : "Never"),
        }}
        rows={keys}
      />
      <p class="paging">
        <a href={`${base}/keys`}>All API keys</a>
        {isAdmin && <a href={`${base}/keys/new`}>Create key</a>}
      </p>
    </>
  );
}

const CAPABILITIES: Record<keyof ReturnType<typeof getCapabilities>, string> = {
  orders: "Orders",
  shipments: "Shipments",
  webhooks: "Webhooks",
  rates: "Rates",
  labels: "Labels",
  tracking: "Tracking",
};

export function Capabilities(props: { environment: Environment; requestsPerMinute: number | undefined }) {
  const capabilities = Object.entries(getCapabilities(props.environment)) as [keyof typeof CAPABILITIES, boolean][];
  const list = (wanted: boolean) =>
    capabilities.flatMap(([name, isAvailable]) => (isAvailable === wanted ? CAPABILITIES[name] : [])).join(", ");
  const missing = list(false);
  return (
    <>
      <h2>Capabilities and limits</h2>
      <Facts
        facts={{
          Available: list(true),
          "Not available": missing !== "" && `${missing} (no carrier is set up yet)`,
          "Rate limit":
            props.requestsPerMinute !== undefined && `${props.requestsPerMinute} requests per minute per key`,
          "API keys": `Up to ${ACTIVE_KEYS_LIMIT} active keys`,
          Webhooks: `Up to ${ACTIVE_WEBHOOKS_LIMIT} active subscriptions`,
        }}
      />
    </>
  );
}
