import { randomBytes } from "node:crypto";
import { newApiKey } from "@shipping/api/api-key";
import { operations } from "@shipping/api/operations/operations";
import { eventually } from "@shipping/kit/testing/eventually";
import { withoutOrders } from "@shipping/records/testing/stored-records";
import { type Stack, startStack } from "../platform/stack.js";
import { ask, type Customer, create, goodRequest, newCustomer, record } from "./operations.js";
import { exchange, sendTo } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
/** Texts that no log line may contain. */
const secrets: string[] = [];
beforeAll(async () => {
  stack = await startStack({ requestsPerMinute: 100_000, logs: true });
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
  secrets.push(customer.key);
});
afterAll(() => stack.stop());

interface Line {
  part: string;
  msg: string;
  level: string;
  request_id?: string;
  status?: number;
}

/** The log so far, line by line: each is an object of JSON. */
function lines(): Line[] {
  return stack
    .logged()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

// Only the end of each: a truncated secret in the log would be a leak, too.
const tails = () => secrets.map((secret) => secret.slice(-20));

afterEach(() => {
  const text = stack.logged();
  for (const tail of tails()) expect(text).not.toContain(tail);
  expect(text).not.toMatch(/whsec_[\w+/=-]{8}/);
  expect(text).not.toMatch(/service_(test|live)_[0-9A-Za-z]{8}/);
  expect(text).not.toMatch(/bearer\s+[a-z0-9_]/i);
});

const webhook = { url: "http://127.0.0.1:9/hook", events: ["order.created"] };

test("every line names its part, once", async () => {
  await create(customer, "/orders", record);
  const parts = () => lines().map(({ part }) => part);
  await eventually(() => expect(parts()).toEqual(expect.arrayContaining(["gateway", "records"])));
  const texts = stack.logged().split("\n").filter(Boolean);
  expect(texts.filter((text) => text.match(/"part":/g)?.length !== 1)).toEqual([]);
});

describe("no line holds a key or a secret", () => {
  test.each(operations)("after $method $path, with a line of its own in the log", async (route) => {
    const answer = await ask(customer, await goodRequest(customer, route));
    const { secret } = answer.status === 201 ? answer.body.data : {};
    if (secret !== undefined) secrets.push(secret);
    const requestId = answer.headers.get("x-request-id") ?? "";
    const line = await eventually(() => {
      const found = lines().find(({ request_id, msg }) => request_id === requestId && msg === "request");
      if (!found) throw new Error("The request is not in the log yet.");
      return found;
    });
    expect(line).toMatchObject({ part: "gateway", level: "info", status: route.status, account: customer.accountId });
  });

  test("after a subscription in each environment, its replay, its deletion and a delivery that failed", async () => {
    const live = await newCustomer(stack, { environment: "live", accountId: customer.accountId });
    secrets.push(live.key);
    for (const holder of [customer, live]) {
      const headers = { "Idempotency-Key": "twice" };
      const asked = { method: "POST", path: "/webhooks", body: webhook } as const;
      const [first, again] = [await ask(holder, asked, { headers }), await ask(holder, asked, { headers })];
      secrets.push(first.body.data.secret ?? "");
      expect([first.status, again.bytes.equals(first.bytes)]).toEqual([201, true]);
      await create(holder, "/orders", record);
      await eventually(() =>
        expect(lines().some(({ part, msg }) => part === "webhooks" && msg === "attempt")).toBe(true),
      );
      await ask(holder, { method: "DELETE", path: `/webhooks/${first.body.data.id}` });
    }
    expect(secrets.filter((secret) => secret.startsWith("whsec_")).length).toBeGreaterThanOrEqual(2);
  });

  test("after keys that stand where they do not belong", async () => {
    const lost = newApiKey("live", randomBytes).key;
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    secrets.push(lost, secret);
    for (const text of [customer.key, lost, secret]) {
      const order = { ...record, reference: text, metadata: { [text]: text } };
      const headers = {
        "Idempotency-Key": text,
        "X-Request-Id": text,
        "User-Agent": text,
        Referer: `https://a/?${text}`,
      };
      const answers = [
        await customer.send("GET", `/orders/${text}`),
        await customer.send("GET", `/orders?api_key=${text}`),
        await customer.send("GET", `/${text}`),
        await customer.send("GET", "/account", { key: text === customer.key ? `${text}x` : text }),
        await customer.send("GET", "/account", { headers: { Authorization: `Basic ${text}` } }),
        await ask(customer, { method: "POST", path: "/orders", body: order }, { headers }),
        await ask(customer, { method: "POST", path: "/orders", body: { ...order, [text]: text } }),
        await ask(customer, { method: "POST", path: "/shipments", body: { ...order, order_id: text } }),
        await ask(customer, {
          method: "POST",
          path: "/labels",
          body: { shipment_id: text, rate_id: `rate_test_${text}` },
        }),
        await ask(customer, {
          method: "POST",
          path: "/webhooks",
          body: { ...webhook, url: `https://a.example/?${text}` },
        }),
        await ask(customer, {
          method: "POST",
          path: "/webhooks",
          body: { ...webhook, url: `https://${text}@a.example/` },
        }),
        await customer.send("GET", `/orders?${encodeURIComponent(text)}=1`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 422, 404, 401, 401, 201, 422, 404, 404, 201, 422, 422]);
      // No refusal repeats it, not even as the name of a field.
      for (const { status, bytes } of answers)
        if (status >= 400) expect(bytes.toString()).not.toContain(text.slice(-20));
      await exchange(port, `${text}\r\n\r\n`);
      await exchange(port, `GET / HTTP/1.1\r\nHost: x\r\n${text}\r\n\r\n`);
      await sendTo(port, "GET", `http://user:${text}@gateway/api/v1/account?${text}`);
    }
  });

  test("after a database that cannot be used: the cause is in the log, once, and no answer tells it", async () => {
    const body = { ...record, reference: customer.key };
    const answer = await withoutOrders(stack.databases.records, () =>
      ask(customer, { method: "POST", path: "/orders", body }),
    );
    expect([answer.status, answer.bytes.includes("orders_away")]).toEqual([expect.any(Number), false]);
    expect(answer.status).toBeGreaterThanOrEqual(500);
    // The whole response would not do: its request ID may contain any letters.
    expect(answer.body.error).toMatchObject({ message: expect.not.stringMatching(/relation|SQL|pg|stack/) });
    expect(Object.keys(answer.body.error).sort()).toEqual(["code", "message", "request_id"]);
    const requestId = answer.headers.get("x-request-id") ?? "";
    await eventually(() =>
      expect(lines().filter((line) => line.level === "error" && line.request_id === requestId)).toHaveLength(1),
    );
  });
});
