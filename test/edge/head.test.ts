import { once } from "node:events";
import { connect } from "node:net";
import { files, guides } from "@shipping/api/guides";
import { BASE_PATH, pathWith } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { received } from "@shipping/kit/testing/raw-http";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Customer, goodRequest, newCustomer } from "./operations.js";
import { headOf, type Sending, sendTo } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
beforeAll(async () => {
  stack = await sharedStack();
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
  // The documents are rendered for the first request.
  await fetch(`http://127.0.0.1:${port}/docs`);
});
afterAll(() => stack.stop());

const reads = operations.filter(({ method }) => method === "GET");

/** Status and headers, without what differs between any two responses. */
function described({ status, headers }: ApiAnswer<unknown>) {
  const own = ["x-request-id", "date", "ratelimit"];
  return { status, headers: Object.fromEntries([...headers].filter(([name]) => !own.includes(name))) };
}

/** Compares HEAD with GET, and yields the status of both. */
async function compare(target: string, sending: Sending = {}): Promise<number> {
  const [head, get] = await Promise.all(["HEAD", "GET"].map((method) => sendTo(port, method, target, sending)));
  expect([target, described(head!)]).toEqual([target, described(get!)]);
  expect([target, head!.bytes.length]).toEqual([target, 0]);
  expect(head!.headers.has("ratelimit")).toBe(get!.headers.has("ratelimit"));
  return head!.status;
}

describe("HEAD is answered as GET, without the body:", () => {
  test.each(reads.map((route) => [route.path, route] as const))("%s", async (_path, route) => {
    const target = BASE_PATH + (await goodRequest(customer, route)).path;
    expect(await compare(target, { key: customer.key })).toBe(200);
    expect(await compare(target)).toBe(401);
    expect(await compare(`${target}?unknown=1`, { key: customer.key })).toBe(422);
  });

  test("a key without the scope, and a resource that does not exist", async () => {
    const { accountId } = customer;
    const narrow = await newCustomer(stack, { accountId, scopes: ["orders:write"] });
    for (const route of reads) {
      const target = BASE_PATH + pathWith(route, "x");
      expect(await compare(target, { key: narrow.key })).toBe(403);
      if (route.id) expect(await compare(target, { key: customer.key })).toBe(404);
    }
  });

  test("documents, pages, their Markdown, styles, scripts and the sign-in page", async () => {
    const page = (await sendTo(port, "GET", "/docs/reference")).bytes.toString();
    const assets = [...page.matchAll(/\b(?:src|href)="(\/[^"#]+\.\w+(?:\?v=\w+)?)"/g)].map(([, path = ""]) => path);
    const slugs = guides.map(({ slug }) => `/docs/${slug}`);
    const targets = [
      ...["/", "/docs", "/docs/", "/docs/search", "/docs/reference", "/docs/reference/createLabel", "/llms.txt"],
      ...["/llms-full.txt", "/favicon.ico", "/developers", "/developers/style.css", "/developers/script.js"],
      ...["openapi.json", "openapi-3.0.json", "postman.json"].map((name) => `${BASE_PATH}/${name}`),
      ...[...assets, ...slugs, ...slugs.map((path) => `${path}.md`), ...files.map((name) => `/docs/${name}`)],
    ];
    for (const target of new Set(targets)) {
      const isHidden = target === "/developers";
      expect([target, String(await compare(target))]).toEqual([
        target,
        expect.stringMatching(isHidden ? /^401$/ : /^[23]/),
      ]);
    }
    expect(await compare("/docs/nothing", { headers: { Accept: "text/html" } })).toBe(404);
    expect(await compare("/nothing")).toBe(404);
  });

  test("the file of a label says how long it is", async () => {
    const { path } = await goodRequest(customer, operations.find(({ operationId }) => operationId === "getLabelFile")!);
    const headers = { Authorization: `Bearer ${customer.key}` };
    const file = await (await fetch(stack.baseUrl + path, { headers })).arrayBuffer();
    expect((await customer.send("HEAD", path)).headers.get("content-length")).toBe(String(file.byteLength));
  });
});

test("HEAD counts as a request of its key, and leaves nothing on its connection, with a body or without", async () => {
  const { key } = await newCustomer(stack);
  const socket = connect(port, "127.0.0.1");
  const bytes = received(socket);
  const alive = { key, headers: { Connection: undefined } };
  const body = "{}";
  for (const sending of [alive, { ...alive, body }, { headers: { Connection: undefined } }])
    socket.write(headOf("HEAD", `${BASE_PATH}/account`, sending) + ("body" in sending ? body : ""));
  socket.end(headOf("GET", `${BASE_PATH}/orders`, { key }));
  await once(socket, "close");
  const [head, ...others] = (await bytes).toString().split(/(?=HTTP\/1\.1 )/);
  expect(others).toHaveLength(3);
  for (const [nth, answer] of [head, ...others].entries()) {
    const [headers = "", text] = answer!.split("\r\n\r\n");
    expect([nth, headers.slice(9, 12), text]).toEqual([nth, nth === 2 ? "401" : "200", expect.any(String)]);
    if (nth < 3) expect(text).toBe("");
    else expect(JSON.parse(text ?? "")).toEqual({ data: [], next_cursor: null });
    if (nth !== 2) expect(headers).toContain(`RateLimit: "default";r=${120 - (nth === 3 ? 3 : nth + 1)};`);
  }
});
