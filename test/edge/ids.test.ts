import type { Operation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Asked, allOf, ask, type Customer, goodRequest, newCustomer, ofEach, told } from "./operations.js";

let stack: Stack;
let customer: Customer;
/** The ID that a good request of each operation has in its path. */
const ids = new Map<Operation, string>();
const rows = operations.filter(({ id }) => id);
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  for (const route of rows) ids.set(route, (await goodRequest(customer, route)).path.split("/")[2] ?? "");
});
afterAll(() => stack.stop());

const askedFor = ({ method, path }: Operation, id: string): Asked => ({
  method,
  path: path.replace(/\{\w+\}/, () => id),
  ...(method === "POST" && { body: {} }),
});

const answers = (spelled: (id: string) => string, sender = customer) =>
  ofEach(rows, async (route) => told(await ask(sender, askedFor(route, spelled(ids.get(route) ?? "")))));

describe("404 not_found for every operation whose path has an ID", () => {
  test.each<[what: string, spelled: (id: string) => string]>([
    ["of no resource", (id) => id.replace(/.{20}$/, "2".repeat(20))],
    ["in other capitals", (id) => (id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase())],
    ["with a character too few", (id) => id.slice(0, -1)],
    ["with a character too many", (id) => `${id}a`],
    [
      "of another kind of resource",
      (id) => (id.startsWith("ord_") ? id.replace("ord_", "shp_") : `ord_${"a".repeat(26)}`),
    ],
    ["that is none", () => "x"],
    ["that is SQL", () => "'%20OR%20''%3d'"],
    ["with NUL", (id) => `${id}%00`],
    ["with a line break", (id) => `${id}%0a`],
    ["that is an emoji", () => "%f0%9f%98%80"],
    ["that leads elsewhere", () => "..%2f..%2faccount"],
    ["of two segments", () => "a/b"],
    ["that is empty", () => ""],
    ["of 4,000 characters", () => "x".repeat(4_000)],
  ])("%s", async (_what, spelled) => {
    expect(await answers(spelled)).toEqual(allOf(rows, "404 not_found"));
  });

  test.each(["account", "environment"])("of another %s, with the error of a missing one", async (other) => {
    const { accountId } = customer;
    const stranger = await newCustomer(stack, other === "account" ? {} : { accountId, environment: "live" });
    for (const route of rows) {
      const foreign = await ask(stranger, askedFor(route, ids.get(route) ?? ""));
      const missing = await ask(customer, askedFor(route, "x"));
      expect(told(foreign)).toBe("404 not_found");
      expect(foreign.body.error.message).toBe(missing.body.error.message);
    }
    // They have changed nothing.
    for (const route of rows.filter(({ method }) => method === "GET"))
      expect(told(await ask(customer, askedFor(route, ids.get(route) ?? "")))).toBe("200");
  });
});
