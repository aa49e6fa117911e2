import { operations } from "@shipping/api/operations/operations";
import { type Part, parts } from "@shipping/local/parts";
import { type Stack, startStack } from "../platform/stack.js";
import {
  allOf,
  ask,
  type Customer,
  formOf,
  goodRequest,
  nameOf,
  newCustomer,
  ofEach,
  serviceOf,
  told,
} from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: 100_000 });
});
beforeEach(async () => {
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

/** Runs a function while a part has no database connection left. */
async function without<T>(part: Part, run: () => Promise<T>): Promise<T> {
  const { pool, listPool } = stack.databases[part];
  const all = [pool, listPool].flatMap((each) => Array.from({ length: each.options.max }, () => each.connect()));
  const held = await Promise.all(all);
  try {
    return await run();
  } finally {
    for (const client of held) client.release();
  }
}

describe("503 service_unavailable with Retry-After: 5, and no hang, while no connection is left", () => {
  test.each(parts)("in %s; its operations succeed afterwards, writes under the same key", async (part) => {
    // No operation works without the gateway's database, which has the keys.
    const rows = part === "gateway" ? operations : operations.filter((route) => serviceOf(route) === part);
    const asked = await ofEach(rows, (route) => goodRequest(customer, route));
    const askAll = (key: string) =>
      ofEach(rows, (route) =>
        ask(customer, asked[nameOf(route)]!, {
          headers: route.method === "GET" ? {} : { "Idempotency-Key": `${key} ${nameOf(route)}` },
        }),
      );
    const during = await without(part, () => askAll("k"));
    for (const answer of Object.values(during)) {
      expect(told(answer)).toBe("503 service_unavailable");
      expect(answer.headers.get("retry-after")).toBe("5");
    }
    // On a machine that stalls for seconds, a request that got 503 may still be executed, once: the key then has that response.
    const after = await askAll("k");
    const again = await askAll("k");
    for (const route of rows) {
      const name = nameOf(route);
      expect([name, told(after[name]!)]).toEqual([name, String(route.status)]);
      if (route.method === "GET") continue;
      expect([name, again[name]!.headers.get("idempotency-replayed")]).toEqual([name, "true"]);
      expect(again[name]!.bytes).toEqual(after[name]!.bytes);
    }
  });

  test("responses without a look-up still work: unknown operations, keys with a typo, the documentation", async () => {
    await without("gateway", async () => {
      expect(told(await customer.send("GET", "/nothing"))).toBe("404 not_found");
      expect((await customer.send("GET", "/openapi.json")).status).toBe(200);
      const answers = await ofEach(operations, async (route) =>
        told(await ask(customer, formOf(route), { key: `${customer.key}x` })),
      );
      expect(answers).toEqual(allOf(operations, "401 unauthorized"));
    });
  });
});
