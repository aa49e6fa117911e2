import { type Scope, scopes } from "@shipping/api/api-key";
import type { Operation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { allOf, ask, type Customer, formOf, goodRequest, newCustomer, ofEach, told, writes } from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
});
// Each test has an account of its own, because all of them need more keys than one may have.
beforeEach(async () => {
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

/** Another key of the same account and environment. */
const holderOf = (...held: Scope[]) => newCustomer(stack, { accountId: customer.accountId, scopes: held });
const allBut = (scope: Scope) => scopes.filter((other) => other !== scope);

/** The error, with the scopes that its message names. */
function withNamedScopes(answer: ApiAnswer<unknown>): string {
  const named = scopes.filter((scope) => answer.body.error.message.includes(scope));
  return `${told(answer)}: ${named.join()}`;
}

const missing = ({ scope }: Operation) => `403 missing_scope: ${scope}`;

describe("403 missing_scope, naming the scope", () => {
  test("a scope to write is none to read, and the other way round", async () => {
    const [reader, writer] = [
      await holderOf(...scopes.filter((scope) => scope.endsWith(":read"))),
      await holderOf(...scopes.filter((scope) => scope.endsWith(":write"))),
    ];
    const reads = operations.filter(({ scope }) => scope.endsWith(":read"));
    const others = operations.filter(({ scope }) => scope.endsWith(":write"));
    const answers = (holder: Customer, rows: Operation[]) =>
      ofEach(rows, async (route) => withNamedScopes(await ask(holder, formOf(route))));
    expect(await answers(reader, others)).toEqual(allOf(others, missing));
    expect(await answers(writer, reads)).toEqual(allOf(reads, missing));
  });

  test("the same for a live key, also where no carrier is configured", async () => {
    const live = await newCustomer(stack, { environment: "live", scopes: ["account:read"] });
    const rows = operations.filter(({ scope }) => scope !== "account:read");
    expect(await ofEach(rows, async (route) => withNamedScopes(await ask(live, formOf(route))))).toEqual(
      allOf(rows, missing),
    );
  });
});

test("the scope alone is enough, and every other one together is not", async () => {
  for (const route of operations) {
    const asked = await goodRequest(customer, route);
    const refused = await ask(await holderOf(...allBut(route.scope)), asked);
    expect(withNamedScopes(refused)).toBe(missing(route));
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=99999;t=\d+$/);
    expect(told(await ask(await holderOf(route.scope), asked))).toBe(String(route.status));
  }
});

describe("a refused write", () => {
  test.each(writes)("is neither executed nor replayed, and reserves no key: $method $path", async (route) => {
    const lacking = await holderOf(...allBut(route.scope));
    const asked = await goodRequest(customer, route);
    const headers = { "Idempotency-Key": `key ${route.operationId}` };
    expect(withNamedScopes(await ask(lacking, asked, { headers }))).toBe(missing(route));
    const executed = await ask(customer, asked, { headers });
    expect([executed.status, executed.headers.has("idempotency-replayed")]).toEqual([route.status, false]);
    const again = await ask(lacking, asked, { headers });
    expect([withNamedScopes(again), again.headers.has("idempotency-replayed")]).toEqual([missing(route), false]);
  });
});
