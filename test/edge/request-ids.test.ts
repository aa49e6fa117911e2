import { connect } from "node:net";
import { operations } from "@shipping/api/operations/operations";
import { received } from "@shipping/kit/testing/raw-http";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { ask, type Customer, formOf, newCustomer } from "./operations.js";
import { headOf } from "./wire.js";

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
  test.each(["mine", "req_mfrggzdfmztwq2lknnwg23tpoa", ""])("is never taken from the client: %j", async (sent) => {
    const headers = { "X-Request-Id": sent, "X-Correlation-Id": sent };
    for (const route of operations) expect(idOf(await ask(customer, formOf(route), { headers }))).not.toBe(sent);
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
