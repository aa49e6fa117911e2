import { randomBytes } from "node:crypto";
import { newApiKey, scopes } from "@shipping/api/api-key";
import { newId } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";

/** An account and its sandbox keys. */
export interface Customer {
  accountId: string;
  keys: string[];
}

/** Customers with keys of their own, which a load uses in turn, so that no key comes near its limit. */
export interface Customers {
  readonly all: readonly Customer[];
  /** The next customer. */
  next(): Customer;
  /** A customer's next key. */
  keyOf(customer: Customer): string;
}

/** Yields customers, and the keys of each, in turn. */
export function inTurn(all: readonly Customer[]): Customers {
  let turn = 0;
  const turnOf = new Map<Customer, number>();
  return {
    all,
    next: () => all[turn++ % all.length]!,
    keyOf(customer) {
      const place = turnOf.get(customer) ?? 0;
      turnOf.set(customer, place + 1);
      return customer.keys[place % customer.keys.length]!;
    },
  };
}

/** Creates accounts with keys as the operator CLI does, thousands in one statement. */
export async function createCustomers(
  db: Database,
  wanted: { accounts: number; keysOfEach: number },
): Promise<Customer[]> {
  const customers: Customer[] = [];
  const keys: { id: string; accountId: string; hash: Buffer; lastFour: string }[] = [];
  for (let account = 0; account < wanted.accounts; account++) {
    const accountId = newId("acc", randomBytes);
    const made = Array.from({ length: wanted.keysOfEach }, () => newApiKey("sandbox", randomBytes));
    customers.push({ accountId, keys: made.map(({ key }) => key) });
    keys.push(...made.map(({ hash, lastFour }) => ({ id: newId("key", randomBytes), accountId, hash, lastFour })));
  }
  await db.run(sql`
    INSERT INTO accounts (id, name, created_at)
    SELECT id, 'Bench', now() FROM unnest(${customers.map(({ accountId }) => accountId)}::text[]) AS made (id)`);
  await db.run(sql`
    WITH made AS (
      INSERT INTO api_keys (id, account_id, environment, hash, last_four, scopes, created_at)
      SELECT id, account_id, 'sandbox', hash, last_four, ${[...scopes]}::text[], now()
      FROM unnest(
        ${keys.map(({ id }) => id)}::text[], ${keys.map(({ accountId }) => accountId)}::text[],
        ${keys.map(({ hash }) => hash)}::bytea[], ${keys.map(({ lastFour }) => lastFour)}::text[]
      ) AS made (id, account_id, hash, last_four)
      RETURNING id)
    INSERT INTO rate_windows (key_id) SELECT id FROM made`);
  return customers;
}

/** Uses up the limit of these customers' keys for the next minute. */
export async function exhaust(db: Database, customers: readonly Customer[], limit: number): Promise<void> {
  await db.run(sql`
    UPDATE rate_windows SET counters[61] = ${limit}, last_second = floor(extract(epoch FROM clock_timestamp()))
    FROM api_keys
    WHERE api_keys.id = key_id AND account_id = ANY(${customers.map(({ accountId }) => accountId)}::text[])`);
}
