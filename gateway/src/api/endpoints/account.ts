import type { Environment } from "@shipping/kit/caller";
import sql from "sql-template-tag";
import type { HttpAnswer } from "../../http/send-answer.js";
import type { EndpointDeps } from "../deps.js";
import { type Read, type Route, read, rendered } from "../endpoint.js";
import * as examples from "../examples.js";
import { account } from "../resources.js";

export const accountRoutes: readonly Route[] = [
  read({
    path: "/account",
    scope: "account:read",
    owner: "gateway",
    summary: "Retrieve the account",
    purpose:
      "Returns the account of the API key, the key's environment and scopes, and the account's current capabilities and limits.",
    guide: "environments",
    answers: account,
    handler: getAccount,
    example: { data: examples.account, invalid: examples.unknownMember },
  }),
];

export const ACTIVE_WEBHOOKS_LIMIT = 10;

/** The capabilities of an environment: no carrier is configured for the live one. */
export function getCapabilities(environment: Environment) {
  const isLive = environment === "live";
  return { orders: true, shipments: true, webhooks: true, rates: !isLive, labels: !isLive, tracking: !isLive };
}

async function getAccount({ db, requestsPerMinute }: EndpointDeps, { caller, admission }: Read): Promise<HttpAnswer> {
  const [account] = await db.run<{ name: string; created_at: Date }>(
    sql`SELECT name, created_at FROM accounts WHERE id = ${caller.accountId}`,
  );
  if (!account) throw new Error("An admitted key belongs to no account.");
  const data = JSON.stringify({
    id: caller.accountId,
    object: "account",
    name: account.name,
    environment: caller.environment,
    livemode: caller.environment === "live",
    api_version: "v1",
    scopes: admission.scopes,
    capabilities: getCapabilities(caller.environment),
    limits: { requests_per_minute: requestsPerMinute, active_webhooks: ACTIVE_WEBHOOKS_LIMIT },
    created_at: account.created_at.toISOString(),
  });
  return rendered({ data: Buffer.from(data) });
}
