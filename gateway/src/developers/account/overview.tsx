import type { Environment } from "@shipping/kit/caller";
import sql from "sql-template-tag";
import { ACTIVE_KEYS_LIMIT } from "../../accounts/manage-keys.js";
import { ACTIVE_WEBHOOKS_LIMIT, capabilitiesOf } from "../../api/endpoints/account.js";
import { clock } from "../../database/deps.js";
import { nameOf } from "../keys/keys.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Text, Time } from "../page/text.js";

interface KeyInUse {
  name: string | null;
  lastFour: string;
  lastUsedAt: Date | null;
  /** Counted in the last minute, as the limit counts. */
  requests: number;
}

/** `GET …/{environment}`: what this environment is, can do, and is being used for. */
export async function showOverview(deps: PageDeps, { session, environment }: PageRequest): Promise<PageAnswer> {
  const keys = await keysInUse(deps, session.accountId, environment);
  const mayChange = session.role === "admin";
  const base = `${AREA_PATH}/${environment}`;
  return shown(
    "Overview",
    <>
      <h1>{environment === "live" ? "Live" : "Sandbox"}</h1>
      {keys.length === 0 ? (
        <div class="empty">
          <p>Nothing can call the API here yet: this environment has no key.</p>
          {mayChange && (
            <a class="button" href={`${base}/keys/new`}>
              Create key
            </a>
          )}
        </div>
      ) : (
        <>
          <Usage keys={keys} limit={deps.requestsPerMinute} />
          <div class="actions">
            {mayChange && (
              <a class="button" href={`${base}/keys/new`}>
                Create key
              </a>
            )}
            {environment === "sandbox" && <a href={`${AREA_PATH}/quick-start`}>Make a label with one</a>}
          </div>
        </>
      )}
      <Abilities environment={environment} requestsPerMinute={deps.requestsPerMinute} />
    </>,
  );
}

function Usage({ keys, limit }: { keys: readonly KeyInUse[]; limit: number }) {
  return (
    <>
      <h2>Requests in the last minute</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Of {limit}</th>
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
              <td data-label="Of the limit">
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
    </>
  );
}

const WORDS: Record<keyof ReturnType<typeof capabilitiesOf>, string> = {
  orders: "Orders",
  shipments: "Shipments",
  webhooks: "Webhooks",
  rates: "Rates",
  labels: "Labels",
  tracking: "Tracking",
};

function Abilities({ environment, requestsPerMinute }: { environment: Environment; requestsPerMinute: number }) {
  const capabilities = Object.entries(capabilitiesOf(environment)) as [keyof typeof WORDS, boolean][];
  const named = (wanted: boolean) => capabilities.filter(([, can]) => can === wanted).map(([name]) => WORDS[name]);
  return (
    <>
      <h2>What this environment can do</h2>
      <dl>
        <dt>Available</dt>
        <dd>{named(true).join(", ")}</dd>
        {named(false).length > 0 && (
          <>
            <dt>Not available</dt>
            <dd>{named(false).join(", ")}: no carrier is configured</dd>
          </>
        )}
        <dt>Requests</dt>
        <dd>{requestsPerMinute} per minute and key</dd>
        <dt>Keys</dt>
        <dd>{ACTIVE_KEYS_LIMIT} active keys at most</dd>
        <dt>Webhooks</dt>
        <dd>{ACTIVE_WEBHOOKS_LIMIT} active subscriptions at most</dd>
      </dl>
    </>
  );
}

// As `admit` counts: the window's last place is that of `last_second`, and as many places are gone as seconds since.
function keysInUse(deps: PageDeps, accountId: string, environment: Environment): Promise<KeyInUse[]> {
  return deps.db.run<KeyInUse>(sql`
    SELECT k.name, k.last_four AS "lastFour", k.last_used_at AS "lastUsedAt",
      (SELECT coalesce(sum(n), 0)::integer FROM unnest(w.counters[1 + gone.seconds : 61]) AS n) AS requests
    FROM api_keys k
    JOIN rate_windows w ON w.key_id = k.id
    CROSS JOIN LATERAL (
      SELECT least(greatest(floor(extract(epoch FROM ${clock(deps)}))::bigint - w.last_second, 0), 61)::integer AS seconds
    ) AS gone
    WHERE k.account_id = ${accountId} AND k.environment = ${environment}
      AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${clock(deps)})
    ORDER BY k.last_used_at DESC NULLS LAST, k.id
    LIMIT ${ACTIVE_KEYS_LIMIT}`);
}
