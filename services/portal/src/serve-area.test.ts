import { create } from "@bufbuild/protobuf";
import { eventually } from "@shipping/kit/testing/eventually";
import { exchange } from "@shipping/kit/testing/raw-http";
import { SearchOrdersResponseSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { DEFAULT_PAGE_LIMITS } from "./limits/page-limits.js";
import { isOpenedByPerson } from "./serve-area.js";
import { type PortalUnderTest, portalUnderTest } from "./testing/portal-under-test.js";

test("switched off, the area's paths are unknown routes, in JSON", async () => {
  const portal = await portalUnderTest({ developerArea: undefined });
  const answer = await portal.request("/developers");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
  await portal.end();
});

test("behind https, its cookies are bound to the host", async () => {
  const portal = await portalUnderTest({ developerArea: { publicUrl: "https://ship.example" } });
  const answer = await portal.request("/developers/sign-out", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
  });
  expect(answer.status).toBe(303);
  expect(answer.headers.getSetCookie()).toEqual([
    "__Host-developers-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
    "__Host-developers-done=signed-out; Path=/; HttpOnly; Secure; SameSite=Lax",
  ]);
  await portal.end();
});

const newMember = async (portal: PortalUnderTest) => portal.signedIn(await portal.newAccount());

test("only a few heavy pages are made at once, those of another account beside them, and other pages wait for none", async () => {
  const held: (() => void)[] = [];
  let isOver = false;
  const portal = await portalUnderTest({
    pageLimits: { ...DEFAULT_PAGE_LIMITS, heavy: { total: 3, perAccount: 2, waitMs: 60_000 } },
    records: {
      searchOrders: async () => {
        await (isOver || new Promise<void>((resolve) => held.push(resolve)));
        return create(SearchOrdersResponseSchema, { data: Buffer.from("[]") });
      },
    },
  });
  const [cookie, others] = [await newMember(portal), await newMember(portal)];
  const open = (as: string) =>
    portal.request("/developers/sandbox/orders/csv?q=a", { headers: { cookie: as } }).then(({ status }) => status);
  try {
    // The first page of the documentation waits until all are rendered, which can take longer than a held page may.
    await portal.request("/docs");
    const pages = Array.from({ length: 4 }, () => open(cookie));
    await eventually(() => expect(held).toHaveLength(2));
    const theirs = open(others);
    await eventually(() => expect(held).toHaveLength(3));
    // Pages that are not heavy take no place.
    const light = ["/developers/sandbox/keys/key_a/revoke", "/docs"];
    const answers = await Promise.all(light.map((path) => portal.request(path, { headers: { cookie } })));
    expect(answers.map(({ status }) => status)).toEqual([403, 200]);
    expect(held).toHaveLength(3);
    isOver = true;
    for (const end of held) end();
    expect(await Promise.all([...pages, theirs])).toEqual(Array(5).fill(200));
  } finally {
    isOver = true;
    for (const end of held) end();
    await portal.end();
  }
});

test("a heavy page that has waited too long is answered 503 with a page", async () => {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  let asked = 0;
  const portal = await portalUnderTest({
    pageLimits: { ...DEFAULT_PAGE_LIMITS, heavy: { total: 1, perAccount: 1, waitMs: 1 } },
    records: {
      searchOrders: async () => {
        asked++;
        await held;
        return create(SearchOrdersResponseSchema, { data: Buffer.from("[]") });
      },
    },
  });
  const cookie = await newMember(portal);
  const open = () => portal.request("/developers/sandbox/orders/csv", { headers: { cookie } });
  try {
    const first = open();
    await eventually(() => expect(asked).toBe(1));
    const second = await open();
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await second.text()).toContain("This account has too many pages in progress.");
    end();
    expect((await first).status).toBe(200);
  } finally {
    end();
    await portal.end();
  }
});

test("too many pages of a client or of a member are refused with a page, which says when to try again", async () => {
  const portal = await portalUnderTest({
    trustedProxies: { count: 1, header: "x-forwarded-for" },
    pageLimits: { ...DEFAULT_PAGE_LIMITS, client: { pages: 10, seconds: 60 }, member: { pages: 1, seconds: 60 } },
  });
  let cookie = "";
  const member = await newMember(portal);
  const open = async (address: string, path = "/developers/sign-in") => {
    const answer = await portal.request(path, { headers: { "x-forwarded-for": address, cookie } });
    return { status: answer.status, retryAfter: Number(answer.headers.get("retry-after")), text: await answer.text() };
  };
  try {
    const answers = await Promise.all(Array.from({ length: 11 }, () => open("192.0.2.1")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.text).toContain("Too many pages are requested from your IP address.");
    expect(refused[0]?.retryAfter).toBeGreaterThan(0);
    expect(refused[0]?.retryAfter).toBeLessThanOrEqual(60);
    expect((await open("192.0.2.2")).status).toBe(200);

    cookie = member;
    const signed = await Promise.all(
      ["192.0.2.3", "192.0.2.4"].map((address) => open(address, "/developers/quick-start")),
    );
    expect(signed.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect(signed.find(({ status }) => status === 429)?.text).toContain("from your sessions");
  } finally {
    await portal.end();
  }
});

test.each([true, false])(
  "every answer tells browsers to use https alone if PUBLIC_URL is https: %p",
  async (isHttps) => {
    const portal = await portalUnderTest({ strictTransport: isHttps });
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const paths = ["/docs", "/developers", "/favicon.ico", "/no-such-page", "/%zz"];
    const requests = [
      ...paths.map(request),
      "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
      "no HTTP\r\n\r\n",
      request("/").replace("x", "?"),
    ];
    for (const text of requests) {
      const [answer] = await exchange(portal.port, text, "");
      const sent = answer?.headers["strict-transport-security"];
      expect([text, sent]).toEqual([text, isHttps ? "max-age=31536000; includeSubDomains" : undefined]);
    }
    await portal.end();
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
