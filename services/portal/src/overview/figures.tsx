import { ACTIVE_KEYS_LIMIT, ACTIVE_WEBHOOKS_LIMIT, getCapabilities } from "@shipping/api/limits";
import type { Environment } from "@shipping/kit/caller";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import type {
  CountRequestsResponse,
  Key,
  LoggedRequest,
  KeyUsage as UsedKey,
} from "@shipping/proto/shipping/access/v1/access_pb";
import { keyName } from "../keys/key-name.js";
import { BarChart, type BarKind } from "../page/bar-chart.js";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";
import { Facts, Table } from "../page/table.js";
import { Text, Time } from "../page/text.js";
import { formatDuration } from "../requests/request.js";

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

/** The results of requests. Where no carrier is configured, requests that need one are refused, which is no error of the server. */
const getKinds = (hasCarrier: boolean): readonly BarKind[] => [
  { name: "Successful", tone: "good" },
  { name: hasCarrier ? "Client errors (4xx)" : "Refused (4xx, or no carrier)", tone: "warning" },
  { name: "Server errors (5xx)", tone: "danger" },
];

/** The requests of the last 24 hours: by hour, oldest first; and errors by code, most frequent first. */
export function RequestFigures(props: { base: string; hasCarrier: boolean } & CountRequestsResponse) {
  const { base, hasCarrier, hours, refusals } = props;
  const bars = hours.map(({ hour, reads, writes, replays, refused, failed }) => ({
    at: new Date(hour),
    counts: [reads + writes + replays, refused, failed],
  }));
  return (
    <>
      <h2>Requests in the last 24 hours</h2>
      <BarChart label="Requests by hour" kinds={getKinds(hasCarrier)} bars={bars} />
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

/** The slowest writes of the last 24 hours, each with its request in the log. */
export function SlowestWrites({ base, requests }: { base: string; requests: readonly LoggedRequest[] }) {
  if (requests.length === 0) return null;
  return (
    <>
      <h2>Slowest writes</h2>
      <p>Among the latest 2,000 logged requests of the last 24 hours.</p>
      <Table
        columns={{
          Request: ({ id, method, path }) => (
            <a href={`${base}/requests/${id}`}>{`${method} ${path.replace(/^\/api\/v1(?=\/)/, "")}`}</a>
          ),
          Duration: (row) => formatDuration(row),
          Time: ({ at }) => <Time at={at} />,
        }}
        rows={requests}
      />
    </>
  );
}

/** The keys that have used more than half of their limit in the last minute. */
export function KeyUsage({ base, keys, limit }: { base: string; keys: readonly KeyInUse[]; limit: number }) {
  const busy = keys.filter(({ requests }) => requests > limit / 2);
  return (
    <>
      <h2>Limits in use</h2>
      {busy.length === 0 ? (
        <p>
          In the last minute, no key has used more than half of its limit of {limit.toLocaleString("en")} requests.{" "}
          <a href={`${base}/keys`}>All API keys</a>
        </p>
      ) : (
        <Table
          columns={{
            Key: (key) => (
              <a href={`${base}/keys/${key.id}`}>
                <Text>{keyName(key)}</Text> <code class="sub">…{key.lastFour}</code>
              </a>
            ),
            "Requests in the last minute": ({ requests, lastFour }) => (
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
          }}
          rows={busy}
        />
      )}
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
