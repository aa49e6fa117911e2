import { databaseNow } from "@shipping/kit/postgres/clock";
import sql from "sql-template-tag";
import type { PortalDeps } from "./deps.js";

/** The most characters of an endpoint's name, which is a part of sentences. */
export const MAX_ENDPOINT_NAME = 60;

type Deps = Pick<PortalDeps, "db">;

/** Reads the names that an account has given to its endpoints, by the ID of their subscriptions. Only active ones have names, so they are few. */
export async function readEndpointNames({ db }: Deps, accountId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.run<{ id: string; name: string }>(
    sql`SELECT subscription_id AS id, name FROM endpoint_names WHERE account_id = ${accountId}`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Names an endpoint, or takes its name away if the new one is empty. */
export async function nameEndpoint(
  deps: Deps & Pick<PortalDeps, "clockOffsetMs">,
  { accountId, subscriptionId, name }: { accountId: string; subscriptionId: string; name: string },
): Promise<void> {
  if (name === "") return forgetEndpoints(deps, [{ accountId, subscriptionId }]);
  await deps.db.run(sql`
    INSERT INTO endpoint_names (account_id, subscription_id, name, named_at)
    SELECT id, ${subscriptionId}, ${name}, ${databaseNow(deps)} FROM accounts WHERE id = ${accountId} AND erasing_since IS NULL
    ON CONFLICT (account_id, subscription_id) DO UPDATE SET name = excluded.name, named_at = excluded.named_at`);
}

/** Deletes the names of endpoints whose subscriptions were disabled. */
export async function forgetEndpoints(
  { db }: Deps,
  ended: readonly { accountId: string; subscriptionId: string }[],
): Promise<void> {
  if (ended.length === 0) return;
  const [accounts, subscriptions] = [
    ended.map(({ accountId }) => accountId),
    ended.map(({ subscriptionId }) => subscriptionId),
  ];
  await db.run(sql`
    DELETE FROM endpoint_names USING unnest(${accounts}::text[], ${subscriptions}::text[]) AS ended (account_id, subscription_id)
    WHERE endpoint_names.account_id = ended.account_id AND endpoint_names.subscription_id = ended.subscription_id`);
}
