import { routes } from "@shipping/gateway/api/endpoints/endpoints";
import { type Stack, sharedStack } from "../platform/stack.js";
import { allOf, ask, type Customer, goodRequest, keptRequests, newCustomer, ofEach, told } from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

const kept = keptRequests(() => customer);

const answers = (sender: Customer, request: typeof kept, query: string, rows = routes) =>
  ofEach(rows, async (route) => {
    const asked = await request(route);
    return told(await ask(sender, { ...asked, path: asked.path + query }));
  });

/**
 * The response of every operation to an otherwise valid request with such a query. A refused request has no effect, so that it can be sent again.
 */
const answersTo = (query: string, rows = routes) => answers(customer, kept, query, rows);

describe("422 invalid_request for every operation, naming the parameter", () => {
  test.each([
    ["?x=1", "x"],
    ["?x", "x"],
    ["?x=", "x"],
    ["?=1", '""'],
    ["?Limit=1", "Limit"],
    ["?api_key=secret", "api_key"],
    ["?%C3%A9=1", "é"],
    ["?a%20b=1", "a b"],
    ["?__proto__=1", "__proto__"],
    ["?constructor=1", "constructor"],
    ["?hasOwnProperty=1", "hasOwnProperty"],
    ["?x=1&y=2", "x y"],
    ["?x[a]=1", "x[a]"],
  ])("%s", async (query, parameters) => {
    expect(await answersTo(query)).toEqual(allOf(routes, `422 invalid_request ${parameters}`));
  });

  test.each(["?%", "?x=%zz", "?x=%ff", "?%c0%80=1", "?x=%ed%a0%80"])("%s, which cannot be decoded", async (query) => {
    expect(await answersTo(query)).toEqual(allOf(routes, "422 invalid_request query"));
  });

  test("?x=1&x=2, a parameter that is both unknown and repeated, is named", async () => {
    const answers = await answersTo("?x=1&x=2");
    for (const answer of Object.values(answers)) expect(answer).toMatch(/^422 invalid_request x/);
  });
});

describe("an empty query", () => {
  test.each(["?", "?&", "?&&"])("%s is as good as none", async (query) => {
    const sender = await newCustomer(stack);
    const answered = await answers(sender, (route) => goodRequest(sender, route), query);
    expect(answered).toEqual(allOf(routes, ({ status }) => String(status)));
  });
});

describe("an operation that takes no parameters", () => {
  test.each(["limit=5", "after=ord_mfrggzdfmztwq2lknnwg23tpoa"])("refuses the lists' %s too", async (parameter) => {
    const rows = routes.filter((route) => !(route.method === "GET" && route.query));
    const [name] = parameter.split("=");
    expect(rows).toHaveLength(14);
    expect(await answersTo(`?${parameter}`, rows)).toEqual(allOf(rows, `422 invalid_request ${name}`));
  });
});

test("every operation that refused a query here succeeds without it", async () => {
  expect(await answersTo("")).toEqual(allOf(routes, ({ status }) => String(status)));
});
