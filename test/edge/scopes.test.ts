import { type Scope, scopes } from "@shipping/api/api-key";
import type { Operation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { ask, type Customer, goodRequest, newCustomer, told } from "./operations.js";

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

test("the scope alone is enough, and every other one together is not", async () => {
  for (const route of operations) {
    const asked = await goodRequest(customer, route);
    const refused = await ask(await holderOf(...allBut(route.scope)), asked);
    expect(withNamedScopes(refused)).toBe(missing(route));
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=99999;t=\d+$/);
    expect(told(await ask(await holderOf(route.scope), asked))).toBe(String(route.status));
  }
});
