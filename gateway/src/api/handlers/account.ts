import { ACTIVE_WEBHOOKS_LIMIT, getCapabilities } from "@shipping/api/limits";
import type { HttpAnswer } from "@shipping/kit/http/send-answer";
import sql from "sql-template-tag";
import type { EndpointDeps } from "../deps.js";
import { type Read, rendered } from "../endpoint.js";

export async function getAccount(
  { db, requestsPerMinute }: EndpointDeps,
  { caller, admission }: Read,
): Promise<HttpAnswer> {
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
