import { create } from "@bufbuild/protobuf";
import { eventually } from "@shipping/kit/testing/eventually";
import { exchange } from "@shipping/kit/testing/raw-http";
import { SearchOrdersResponseSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { gatewayUnderTest } from "../testing/gateway-under-test.js";
import { signedIn } from "../testing/signed-in.js";
import { isOpenedByPerson } from "./serve-area.js";

test("switched off, the area's paths are unknown routes, in JSON", async () => {
  const gateway = await gatewayUnderTest();
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/developers`, { headers: { connection: "close" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
  await gateway.end();
});

test("behind https, its cookies are bound to the host", async () => {
  const gateway = await gatewayUnderTest({ developerArea: { publicUrl: "https://ship.example" } });
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/developers/sign-out`, {
    method: "POST",
    redirect: "manual",
    headers: {
      connection: "close",
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
    },
  });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("set-cookie")).toBe(
    "__Host-developers-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
  );
  await gateway.end();
});

test("members' pages are in their account's turn with its requests: one list at a time, while others' go on", async () => {
  const held: (() => void)[] = [];
  let isOver = true;
  const hold = async () => isOver || new Promise<void>((resolve) => held.push(resolve));
  const gateway = await gatewayUnderTest({
    developerArea: {},
    records: {
      searchOrders: async () => {
        await hold();
        return create(SearchOrdersResponseSchema, {});
      },
      listOrders: async () => {
        await hold();
        return { data: Buffer.from("[]") };
      },
    },
  });
  const [one, other] = [await gateway.newKey(), await gateway.newKey()];
  const [cookie, others] = [await signedIn(gateway, one.accountId), await signedIn(gateway, other.accountId)];
  const open = (as: string) =>
    fetch(`http://127.0.0.1:${gateway.port}/developers/sandbox/orders/csv?q=a`, {
      headers: { cookie: as, connection: "close" },
    }).then(({ status }) => status);
  try {
    // The first page of a process takes much longer.
    expect([await open(cookie), await open(others)]).toEqual([200, 200]);
    isOver = false;
    const pages = Array.from({ length: 5 }, () => open(cookie));
    await eventually(() => expect(held).toHaveLength(1));
    const list = gateway.send("GET", "/orders", one);
    // One page of the other account runs beside them.
    const theirs = open(others);
    await eventually(() => expect(held).toHaveLength(2));
    const waiting = async () =>
      Number(/^gateway_requests_waiting\S* (\d+)$/m.exec(await gateway.metrics.render())?.[1]);
    // The pace of pages may still delay others of the five. The test does not wait for them: the list's call would time out.
    await eventually(async () => expect(await waiting()).toBeGreaterThan(0));
    for (let ended = 0; ended < 7; ended++) {
      await eventually(() => expect(held.length).toBeGreaterThan(ended));
      expect(held.length).toBeLessThanOrEqual(ended + 2);
      held[ended]?.();
    }
    expect(await Promise.all([...pages, theirs, list.then(({ status }) => status)])).toEqual(Array(7).fill(200));
  } finally {
    isOver = true;
    for (const end of held) end();
    await gateway.end();
  }
});

test.each([true, false])(
  "every answer tells browsers to use https alone if PUBLIC_URL is https: %p",
  async (isHttps) => {
    const gateway = await gatewayUnderTest({ developerArea: {}, strictTransport: isHttps });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const paths = [
      "/api/v1/orders",
      "/api/v1/openapi.json",
      "/docs",
      "/developers",
      "/favicon.ico",
      "/no-such-page",
      "/%zz",
    ];
    const requests = [
      ...paths.map(get),
      "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
      "no HTTP\r\n\r\n",
      get("/").replace("x", "?"),
    ];
    for (const request of requests) {
      const [answer] = await exchange(gateway.port, request, "");
      const sent = answer?.headers["strict-transport-security"];
      expect([request, sent]).toEqual([request, isHttps ? "max-age=31536000; includeSubDomains" : undefined]);
    }
    await gateway.end();
  },
);

test.each([
  [undefined, undefined, true],
  ["document", "none", true],
  ["document", "same-origin", true],
  ["document", "cross-site", false],
  ["document", "same-site", false],
  ["image", "same-origin", false],
  ["empty", "same-origin", false],
])("a request for %p from %p was made by somebody themselves: %p", (target, site, expected) => {
  const headersDistinct = {
    ...(target && { "sec-fetch-dest": [target] }),
    ...(site && { "sec-fetch-site": [site] }),
  };
  expect(isOpenedByPerson({ headersDistinct })).toBe(expected);
});
