import sql from "sql-template-tag";
import type { GatewayDeps } from "../deps.js";
import { type Answer, data } from "../respond.js";
import type { Read } from "../route.js";

const ACTIVE_WEBHOOKS_LIMIT = 10;

export async function getAccount({ db, requestsPerMinute }: GatewayDeps, { caller, admission }: Read): Promise<Answer> {
  const [account] = await db.run<{ name: string; created_at: Date }>(
    sql`SELECT name, created_at FROM accounts WHERE id = ${caller.accountId}`,
  );
  if (!account) throw new Error("An admitted key belongs to no account.");
  const isLive = caller.environment === "live";
  return data(
    JSON.stringify({
      id: caller.accountId,
      object: "account",
      name: account.name,
      environment: caller.environment,
      livemode: isLive,
      api_version: "v1",
      scopes: admission.scopes,
      capabilities: {
        orders: true,
        shipments: true,
        webhooks: true,
        rates: !isLive,
        labels: !isLive,
        tracking: !isLive,
      },
      limits: { requests_per_minute: requestsPerMinute, active_webhooks: ACTIVE_WEBHOOKS_LIMIT },
      created_at: account.created_at.toISOString(),
    }),
  );
}
