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
  test("25 of one body and 25 of another: one of them wins, the other meets 409 idempotency_conflict", async () => {
    const answers = await atOnce(50, (n) => send(n >> 1, { ...order, body: { ...record, reference: `PO-${n % 2}` } }));
    const won = answers.filter(({ status }) => status === 201);
    expect(new Set(won.map(({ bytes }) => bytes.toString())).size).toBe(1);
    expect(won.filter(isReplayed)).toHaveLength(24);
    const lost = answers.filter(({ status }) => status !== 201).map(told);
    expect(lost).toEqual(Array(25).fill("409 idempotency_conflict"));
    expect([await rows("orders"), await rows("outbox")]).toEqual([1, 1]);
  });

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

describe("a request that fails does not stand in the way of another one under its key", () => {
  const missing = { ...record, order_id: `ord_${"a".repeat(26)}` };

  test("25 shipments of a missing order and 25 good ones: every good one is answered with the one creation", async () => {
    const path = { method: "POST", path: "/shipments" } as const;
    const answers = await atOnce(50, (n) => send(n, { ...path, body: n % 2 ? record : missing }));
    const good = answers.filter((_, n) => n % 2);
    expect(good.map(told)).toEqual(Array(25).fill("201"));
    expect(good.filter(isReplayed)).toHaveLength(24);
    for (const answer of answers.filter((_, n) => n % 2 === 0)) {
      expect(["404 not_found", "409 idempotency_conflict"]).toContain(told(answer));
    }
    expect(await rows("shipments")).toBe(1);
  });
});

describe("many keys at once", () => {
  test("equal keys in opposite order through two gateways: no 5xx, every pair of answers is equal", async () => {
    const keys = Array.from({ length: 30 }, (_, n) => `key ${n}`);
    const run = (gateway: number, list: string[]) =>
      Promise.all(list.map(async (key) => [key, await send(gateway, order, key)] as const));
    const [forth, back] = await Promise.all([run(0, keys), run(1, [...keys].reverse())]);
    const first = new Map(forth);
    for (const [key, answer] of back) {
      const other = first.get(key)!;
      expect([told(answer), told(other)]).toEqual(["201", "201"]);
      expect(answer.bytes).toEqual(other.bytes);
      expect([answer, other].filter(isReplayed)).toHaveLength(1);
    }
    expect([await rows("orders"), await rows("outbox")]).toEqual([30, 30]);
  });
});
