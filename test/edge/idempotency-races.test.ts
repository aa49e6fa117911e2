import { eventually } from "@shipping/kit/testing/eventually";
import { LEDGER_OWNERS, PUBLISHERS } from "@shipping/proto/parts";
import sql, { raw } from "sql-template-tag";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";
import {
  type Asked,
  ask,
  type Customer,
  goodRequest,
  nameOf,
  newCustomer,
  ofEach,
  type Resource,
  record,
  told,
  warmUp,
  writes,
} from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: 100_000, replicas: 2 });
  await warmUp(stack);
});
beforeEach(async () => {
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

const through = (n: number) => customer.through(stack.baseUrls[n % stack.baseUrls.length]!);

/** Sends it through that gateway, with that key. */
const send = (n: number, asked: Asked, key = "the key"): Promise<ApiAnswer<Resource>> =>
  ask(through(n), asked, { headers: { "Idempotency-Key": key } });

/** Sends this many requests at the same time. */
const atOnce = <T>(count: number, request: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => request(n)));

const isReplayed = ({ headers }: ApiAnswer<unknown>) => headers.get("idempotency-replayed") === "true";
const order: Asked = { method: "POST", path: "/orders", body: record };

/** The parts that have a table of that name. */
const partsWith = {
  orders: ["records"],
  shipments: ["records"],
  labels: ["carrier"],
  subscriptions: ["webhooks"],
  ledger: LEDGER_OWNERS,
  outbox: PUBLISHERS,
  events: ["webhooks"],
} as const;

/** How many rows of a table the customer has, in all parts together. */
async function rows(table: keyof typeof partsWith): Promise<number> {
  const counts = partsWith[table].map(async (part) => {
    const counted = sql`SELECT count(*)::int AS count FROM ${raw(table)} WHERE account_id = ${customer.accountId}`;
    const [row] = await stack.databases[part].run<{ count: number }>(counted);
    return row?.count ?? 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const tables = ["orders", "shipments", "labels", "subscriptions", "ledger", "outbox"] as const;
const census = async () => Promise.all(tables.map(rows));

/** The rows that one success of an operation adds: of the resource, of its ledger, and of the outbox for its event. */
const added: Record<string, number[]> = {
  "POST /orders": [1, 0, 0, 0, 1, 1],
  "POST /shipments": [0, 1, 0, 0, 1, 1],
  "POST /rates": [0, 0, 0, 0, 1, 0],
  "POST /labels": [0, 0, 1, 0, 1, 1],
  "POST /labels/{id}/void": [0, 0, 0, 0, 1, 1],
  "POST /webhooks": [0, 0, 0, 1, 1, 0],
  "DELETE /webhooks/{id}": [0, 0, 0, 0, 1, 0],
};

async function grown(before: number[]): Promise<number[]> {
  return (await census()).map((count, n) => count - (before[n] ?? 0));
}

describe("20 equal requests at once through two gateways", () => {
  test.each(writes)(
    "$method $path: one is executed, 19 are replayed, byte by byte, and no one is refused",
    async (route) => {
      const asked = await goodRequest(customer, route);
      const before = await census();
      const answers = await atOnce(20, (n) => send(n, asked));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(route.status));
      expect(answers.filter(isReplayed)).toHaveLength(19);
      expect(new Set(answers.map(({ bytes }) => bytes.toString())).size).toBe(1);
      expect(await grown(before)).toEqual(added[nameOf(route)]);
    },
  );

  test("one event arrives", async () => {
    await atOnce(20, (n) => send(n, order));
    await eventually(async () => expect(await rows("events")).toBe(1));
  });
});

describe("different requests at once under one key", () => {
  test("every write of the table, three services: exactly one wins", async () => {
    const asked = await ofEach(writes, (route) => goodRequest(customer, route));
    const before = await census();
    const answers = await atOnce(70, async (n) => {
      const route = writes[n % writes.length]!;
      return { route, answer: await send(n, asked[nameOf(route)]!) };
    });
    const won = answers.filter(({ answer }) => answer.status < 300);
    const winners = new Set(won.map(({ route }) => nameOf(route)));
    expect([winners.size, won.length]).toEqual([1, 10]);
    for (const { answer } of answers) {
      if (answer.status >= 300) expect(told(answer)).toBe("409 idempotency_conflict");
    }
    expect(await grown(before)).toEqual(added[[...winners][0] ?? ""]);
  });
});
