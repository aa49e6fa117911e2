import { connect } from "node:net";
import { operations } from "@shipping/api/operations/operations";
import { received } from "@shipping/kit/testing/raw-http";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { ask, type Customer, formOf, goodRequest, newCustomer } from "./operations.js";
import { exchange, headOf, sendTo } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
});
afterAll(() => stack.stop());

const FORM = /^req_[a-z2-7]{26}$/;

/** The ID of a response, after checking that an error's body has the same one. */
function idOf({ status, headers, body }: ApiAnswer<unknown>): string {
  const id = headers.get("x-request-id") ?? "";
  expect(id).toMatch(FORM);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  if (status >= 400) expect(body.error.request_id).toBe(id);
  return id;
}

describe("X-Request-Id", () => {
  test("is on the success and on refusals of every operation, a new one each time", async () => {
    for (const route of operations) {
      const asked = await goodRequest(customer, route);
      const answers = [
        await ask(customer, asked),
        await ask(customer, formOf(route), { headers: { Authorization: undefined } }),
        await ask(customer, { ...asked, path: `${asked.path}?x=1` }),
        await ask(customer, { ...asked, path: `${asked.path}/` }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([route.status, 401, 422, 404]);
      expect(new Set(answers.map(idOf)).size).toBe(4);
    }
  });

  test.each(["mine", "req_mfrggzdfmztwq2lknnwg23tpoa", ""])("is never taken from the client: %j", async (sent) => {
    const headers = { "X-Request-Id": sent, "X-Correlation-Id": sent };
    for (const route of operations) expect(idOf(await ask(customer, formOf(route), { headers }))).not.toBe(sent);
  });

  test("is on every page, document and path", async () => {
    for (const target of ["/docs", "/docs/try-it.js", "/favicon.ico", "/api/v1/openapi.json", "/", "/nothing"])
      idOf(await sendTo(port, "GET", target));
  });

  test("is on what is not HTTP", async () => {
    const [answer] = await exchange(port, "nonsense\r\n\r\n");
    expect(answer?.headers["x-request-id"]).toMatch(FORM);
    expect(JSON.parse(answer?.body ?? "").error.request_id).toBe(answer?.headers["x-request-id"]);
  });

  test("is one for each request of a connection", async () => {
    const open = { key: customer.key, headers: { Connection: "keep-alive" } };
    const account = headOf("GET", "/api/v1/account", open);
    const socket = connect(port, "127.0.0.1");
    const bytes = received(socket);
    socket.write(account + account + headOf("GET", "/nothing", open) + headOf("GET", "/api/v1/account", customer));
    const ids = [...(await bytes).toString().matchAll(/x-request-id: (\S+)/gi)].map(([, id]) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });
});
