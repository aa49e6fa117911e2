import { type Stack, sharedStack } from "../platform/stack.js";
import { type Customer, newCustomer, told } from "./operations.js";
import { answerOf, exchange } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
});
afterAll(() => stack.stop());

/** The answers to a GET with these lines in its head, and no others. */
async function said(lines: string, version = "1.1"): Promise<string[]> {
  const bytes = `GET /api/v1/account HTTP/${version}\r\nConnection: close\r\n${lines}\r\n`;
  return (await exchange(port, Buffer.from(bytes, "latin1"))).map((answer) => told(answerOf(answer)));
}

describe("the Host header", () => {
  test("is sent once; HTTP/1.0 needs none", async () => {
    for (const lines of ["", "Host: x\r\nHost: x\r\n", "Host: x\r\nHost: y\r\n"]) {
      expect(await said(lines)).toEqual(["400 bad_request"]);
    }
    expect(await said("", "1.0")).toEqual(["401 unauthorized"]);
    expect(await said("Host: x\r\nHost: y\r\n", "1.0")).toEqual(["400 bad_request"]);
  });

  test.each([
    ...["a b", "a/b", "x/", "http://x", "a@b", "a?b", "a#b", "a,b c", "x:8o", "x:1:2"],
    ...["[::1", "a%2", "\xe9", '"x"', "a\\b"],
  ])("is no host when it says %j: 400", async (host) => {
    for (const version of ["1.0", "1.1"]) expect(await said(`Host: ${host}\r\n`, version)).toEqual(["400 bad_request"]);
  });

  test.each([
    ...["", "x", "x:", "x:8080", "a_b.example", "192.0.2.1:80", "[::1]:80", "[v1.a:b]", "a%2fb", "A-Z.~!$&'()*+,;="],
  ])("may say %j", async (host) => {
    expect(await said(`Host: ${host}\r\n`)).toEqual(["401 unauthorized"]);
  });
});

describe("the number of headers", () => {
  const many = (count: number) => `Host: x\r\n${"a:\r\n".repeat(count)}Authorization: Bearer ${customer.key}\r\n`;

  test.each([1_000, 2_000, 5_000, 16_000])("431 for %d small ones in front of a key", async (count) => {
    expect(await said(many(count))).toEqual(["431 bad_request"]);
  });

  test("997 small ones hide no key", async () => {
    expect(await said(many(997))).toEqual(["200"]);
  });
});
