import { randomBytes } from "node:crypto";
import { newApiKey } from "@shipping/api/api-key";
import { exhaustKeys, storeCustomers } from "@shipping/gateway/testing/stored-accounts";
import { newId } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";

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
  await storeCustomers(db, accountIdsOf(customers), keys);
  return customers;
}

/** Uses up the limit of these customers' keys for the next minute. */
export async function exhaust(db: Database, customers: readonly Customer[], limit: number): Promise<void> {
  await exhaustKeys(db, accountIdsOf(customers), limit);
}

const accountIdsOf = (customers: readonly Customer[]) => customers.map(({ accountId }) => accountId);
