import type { WriteRoute } from "@shipping/gateway/api/endpoint";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import {
  type Asked,
  ask,
  type Customer,
  goodRequest,
  nameOf,
  newCustomer,
  posts,
  record,
  told,
  writes,
} from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
});
beforeEach(async () => {
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

const KEY = "the key";
const under = (asked: Asked, holder = customer, key = KEY) =>
  ask(holder, asked, { headers: { "Idempotency-Key": key } });
const isReplayed = ({ headers }: ApiAnswer<unknown>) => headers.get("idempotency-replayed") === "true";

/** Asserts that the second response is the replay of the first: its status and its bytes. */
function expectReplay(again: ApiAnswer<unknown>, first: ApiAnswer<unknown>): void {
  expect([again.status, isReplayed(again), isReplayed(first)]).toEqual([first.status, true, false]);
  expect(again.bytes).toEqual(first.bytes);
  expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
}

async function executed(route: WriteRoute, holder = customer) {
  const asked = await goodRequest(holder, route);
  const first = await under(asked, holder);
  expect(told(first)).toBe(String(route.status));
  return { asked, first };
}

/** The same JSON with the members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe("the same request and key", () => {
  test.each(writes)(
    "$method $path: the original status and bytes, marked as replayed, any number of times",
    async (route) => {
      const { asked, first } = await executed(route);
      for (let n = 0; n < 3; n++) expectReplay(await under(asked), first);
    },
  );

  test.each(posts)("$method $path: order of members and white space do not matter", async (route) => {
    const { asked, first } = await executed(route);
    const texts = [
      JSON.stringify(reversed(asked.body)),
      JSON.stringify(asked.body, null, "\t"),
      ` \r\n${JSON.stringify(reversed(asked.body), null, 3)}\n\n`,
    ];
    for (const body of texts) {
      expectReplay(await ask(customer, asked, { body, headers: { "Idempotency-Key": KEY } }), first);
    }
  });

  test("another spelling of the same JSON is the same content: escapes, numbers, a member that is overridden", async () => {
    const { asked, first } = await executed(writes.find((route) => nameOf(route) === "POST /orders")!);
    const json = JSON.stringify(asked.body);
    const texts = [
      json.replace("1.5", "15e-1").replace(":30", ":30.0").replace(":20", ":2E1"),
      json.replace("1.5", "1.50000000000000000001").replace(":30", ":30.000000000000001"),
      json.replace("PO-1042", "\\u0050O\\u002d1042").replace("Zoë", "Zo\\u00eb").replace("/", "\\/"),
      json.replace("{", '{"reference":"another",'),
    ];
    for (const body of texts) {
      expect(body).not.toBe(json);
      expectReplay(await ask(customer, asked, { body, headers: { "Idempotency-Key": KEY } }), first);
    }
  });

  test("other headers do not matter, nor does the way the body is sent", async () => {
    const { asked, first } = await executed(posts[0]!);
    const json = JSON.stringify(asked.body);
    const again = await ask(customer, asked, {
      body: `${Buffer.byteLength(json).toString(16)}\r\n${json}\r\n0\r\n\r\n`,
      headers: {
        "Idempotency-Key": KEY,
        "Content-Type": "application/json; charset=utf-8",
        "Content-Length": undefined,
        "Transfer-Encoding": "chunked",
        "X-Request-Id": "mine",
      },
    });
    expectReplay(again, first);
  });

  test.each(writes)("$method $path: a path with an encoded letter is no route, and replays nothing", async (route) => {
    const { asked, first } = await executed(route);
    const path = asked.path.replace(/[a-z](?=[a-z2-7]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    expect(path).toContain("%");
    expect(told(await under({ ...asked, path }))).toBe("404 not_found");
    expectReplay(await under(asked), first);
  });
});

describe("409 idempotency_conflict", () => {
  const CONFLICT = "409 idempotency_conflict";

  test.each(writes)("for a key that $method $path has used, on every other write", async (route) => {
    await executed(route);
    for (const other of writes.filter((each) => each !== route)) {
      expect([nameOf(other), told(await under(await goodRequest(customer, other)))]).toEqual([nameOf(other), CONFLICT]);
    }
  });

  test.each(writes)("for $method $path on another resource or with another body", async (route) => {
    await executed(route);
    const other = await goodRequest(customer, route);
    const body = route.id ? other.body : { ...(other.body as object), x: 1 };
    expect(told(await under({ ...other, ...(body !== undefined && { body }) }))).toBe(CONFLICT);
  });

  test("for one number, letter, case, space, element or level of the body that changed, and nothing is created", async () => {
    const { asked } = await executed(posts[0]!);
    const json = JSON.stringify({ ...record });
    const changes: [string, string][] = [
      ["1.5", "1.6"],
      ["1.5", '"1.5"'],
      ["PO-1042", "PO-1043"],
      ["PO-1042", "po-1042"],
      ["PO-1042", "PO-1042 "],
      ["Zoë", "Zoe\u0308"],
      ['{"reference"', '{"metadata":{},"reference"'],
      ['"reference"', '"Reference"'],
    ];
    for (const [from, to] of changes) {
      const body = json.replace(from, to);
      expect(body).not.toBe(json);
      const answer = await ask(customer, asked, { body, headers: { "Idempotency-Key": KEY } });
      expect([body, told(answer)]).toEqual([body, CONFLICT]);
    }
    const orders = await customer.send<unknown[]>("GET", "/orders");
    expect(orders.body.data).toHaveLength(1);
  });

  test.each(posts)("for $method $path with a body that would be refused: the used key comes first", async (route) => {
    const { asked } = await executed(route);
    for (const body of ["[]", "null", '""', "0", '{"x":1}', '{"__proto__":{}}']) {
      const answer = await ask(customer, asked, { body, headers: { "Idempotency-Key": KEY } });
      expect([body, told(answer)]).toEqual([body, CONFLICT]);
    }
  });

  test.each(posts)("for $method $path with a number that double precision does not preserve", async (route) => {
    const { asked, first } = await executed(route);
    const members = JSON.stringify(asked.body).slice(1, -1);
    for (const number of ["12345678901234567890", "12345678901234567891", "1e400"]) {
      const body = `{${[`"x":[${number}]`, members].filter(Boolean).join()}}`;
      const answer = await ask(customer, asked, { body, headers: { "Idempotency-Key": KEY } });
      expect([number, told(answer)]).toEqual([number, CONFLICT]);
      const fresh = await ask(customer, asked, { body, headers: { "Idempotency-Key": `${KEY} ${number}` } });
      expect([number, told(fresh)]).toEqual([number, expect.stringMatching(/^422 invalid_request .*x\.0/)]);
    }
    expectReplay(await under(asked), first);
  });

  test("a conflict changes nothing: the first request is still replayed", async () => {
    const { asked, first } = await executed(posts[0]!);
    expect(told(await under({ ...asked, body: {} }))).toBe(CONFLICT);
    expectReplay(await under(asked), first);
  });
});

describe("keys are scoped to account and environment, not to a credential", () => {
  const inLive = writes.filter((route) => /orders|shipments|webhooks/.test(route.path));

  test.each(inLive)("$method $path: sandbox and live do not meet", async (route) => {
    const live = await newCustomer(stack, { accountId: customer.accountId, environment: "live" });
    const [sandbox, other] = [await executed(route), await executed(route, live)];
    expect(other.first.body.data.id).not.toBe(sandbox.first.body.data.id);
    expectReplay(await under(other.asked, live), other.first);
    expectReplay(await under(sandbox.asked), sandbox.first);
  });

  test.each(writes)("$method $path: two accounts do not meet", async (route) => {
    const stranger = await newCustomer(stack);
    const [mine, theirs] = [await executed(route), await executed(route, stranger)];
    expectReplay(await under(theirs.asked, stranger), theirs.first);
    expectReplay(await under(mine.asked), mine.first);
    expect(theirs.first.bytes).not.toEqual(mine.first.bytes);
  });

  test.each(writes)("$method $path: a new key of the account replays what the revoked one did", async (route) => {
    const { asked, first } = await executed(route);
    const rotated = await newCustomer(stack, { accountId: customer.accountId });
    await stack.revokeKey(customer.keyId);
    expect(told(await under(asked))).toBe("401 unauthorized");
    expectReplay(await under(asked, rotated), first);
  });
});
