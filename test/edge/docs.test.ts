import { guides } from "@shipping/api/guides";
import { operations as apiOperations } from "@shipping/api/operations/operations";
import { type Stack, sharedStack } from "../platform/stack.js";
import { sendTo } from "./wire.js";

let stack: Stack;
let port: number;
beforeAll(async () => {
  stack = await sharedStack();
  port = Number(new URL(stack.baseUrl).port);
  // Documents are rendered for the first request, which may take longer on a busy machine than the tests wait for an answer.
  await fetch(`http://127.0.0.1:${port}/docs`);
});
afterAll(() => stack.stop());

const get = (target: string) => sendTo(port, "GET", target);
const textOf = async (target: string) => (await get(target)).bytes.toString();

const REFERENCE = ["/docs/reference", "/docs/reference/createShipment"];

/** The URLs that the pages load, from their attributes. */
async function assets(): Promise<string[]> {
  const pages = await Promise.all(REFERENCE.map(textOf));
  const named = pages.flatMap((page) => [
    ...page.matchAll(
      /<(?!a\b|link rel="canonical")[^>]*\b(?:src|href|action|data|poster|srcset)\s*=\s*["']?([^"'\s>]+)/gi,
    ),
  ]);
  return [...new Set(named.map(([, target]) => target ?? ""))];
}

describe("GET /docs/reference", () => {
  test("loads nothing from other hosts, and everything that it loads exists", async () => {
    const named = await assets();
    expect(named.length).toBeGreaterThanOrEqual(3);
    for (const target of named) {
      expect(target).toMatch(/^\/(?!\/)/);
      const asset = await get(target);
      expect([target, asset.status, asset.bytes.length > 0]).toEqual([target, 200, true]);
    }
  });

  test("its style sheets load nothing more", async () => {
    const sheets = (await assets()).filter((target) => /\.css(?:\?|$)/.test(target));
    expect(sheets).not.toEqual([]);
    for (const sheet of sheets) {
      const text = await textOf(sheet);
      expect(text).not.toMatch(/@import/);
      const urls = [...text.matchAll(/url\(\s*["']?([^"')]+)/g)].map(([, target]) => target ?? "");
      expect(urls.filter((target) => !target.startsWith("data:"))).toEqual([]);
    }
  });

  test("its scripts ask for nothing of another host", async () => {
    for (const script of (await assets()).filter((target) => /\.js(?:\?|$)/.test(target)))
      expect([script, await textOf(script)]).toEqual([script, expect.not.stringMatching(/https?:/)]);
  });

  test("a browser is told to load nothing from elsewhere, and to run no script but these", async () => {
    const policy = (await get("/docs/reference")).headers.get("content-security-policy") ?? "";
    const directives = new Map(policy.split("; ").map((directive) => directive.split(/ (.*)/s, 2) as [string, string]));
    expect(directives.get("default-src")).toBe("'none'");
    for (const [name, sources] of directives)
      expect([name, sources]).toEqual([name, expect.not.stringMatching(/\*|https?:/)]);
    for (const name of ["script-src", "connect-src"]) expect(directives.get(name)).toBe("'self'");
    for (const page of REFERENCE)
      expect(await textOf(page)).not.toMatch(/<script>|<script [^>]*>[^<]|\son\w+\s*=|\sstyle=|javascript:/i);
  });

  test("sets no cookie", async () => {
    for (const target of ["/docs", "/docs/reference", "/api/v1/openapi.json", ...(await assets())]) {
      expect((await get(target)).headers.has("set-cookie")).toBe(false);
    }
  });
});

describe("GET /docs", () => {
  const operations = apiOperations.map(({ operationId }) => `/docs/reference/${operationId}`);
  const paths = [
    "/docs",
    "/docs/search",
    ...guides.map(({ slug }) => `/docs/${slug}`),
    "/docs/reference",
    ...operations,
  ];

  // Most pages have the same links, so each is followed once.
  const linked = new Map<string, ReturnType<typeof get>>();
  const follow = (resource: string) => {
    const answer = linked.get(resource) ?? get(resource);
    linked.set(resource, answer);
    return answer;
  };

  test.each(paths)("%s is whole without a script, and every link on it leads somewhere", async (path) => {
    const page = await follow(path);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self';/);
    const html = page.bytes.toString();
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).not.toMatch(
      /<script(?!(?: type="module")? src="\/[^"]+"(?: defer)?><\/script>)|<[^>]*\s(?:on\w+|style)=|javascript:/i,
    );
    const targets = [...html.matchAll(/\b(?:href|src|action)="([^"]+)"/g)].map(([, target = ""]) => target);
    for (const target of new Set(targets.filter((one) => !one.startsWith("http")))) {
      const [resource = "", fragment] = target.split("#");
      const { status, bytes } = resource === "" ? page : await follow(resource);
      // The developer area asks who it is.
      expect([target, status]).toEqual([target, resource.startsWith("/developers") ? 401 : 200]);
      if (fragment) expect([target, bytes.includes(`id="${fragment}"`)]).toEqual([target, true]);
    }
  });

  test("each guide leads to the one before it and the one after it, from the overview to the reference", async () => {
    const order = ["/docs", ...guides.map(({ slug }) => `/docs/${slug}`), "/docs/reference"];
    for (const [index, path] of order.slice(1, -1).entries()) {
      const html = await textOf(path);
      const rels = [...html.matchAll(/rel="(prev|next)" href="([^"]+)"/g)].map((match) => match.slice(1));
      expect([path, rels]).toEqual([
        path,
        [
          ["prev", order[index]],
          ["next", order[index + 2]],
        ],
      ]);
    }
  });

  test("the search works in the browser: whatever is searched for, the server sends the same page", async () => {
    const { bytes } = await get("/docs/search");
    for (const odd of ["q=retry", "q=", "q=a&q=b", "q=%3Cimg%20src%3Dx%3E", `q=${"x".repeat(7_000)}`]) {
      const page = await get(`/docs/search?${odd}`);
      expect([odd, page.status, page.bytes.equals(bytes)]).toEqual([odd, 200, true]);
    }
  });

  test("the quick start has the URL of this platform, and no example URL", async () => {
    const html = await textOf("/docs/quick-start");
    expect(html).toContain(`http://127.0.0.1:${port}/api/v1`);
    expect(html).not.toContain("shipping.example.com");
  });

  test("the test vectors of webhooks are served for other people's receivers", async () => {
    const vectors = JSON.parse(await textOf("/docs/webhook-vectors.json"));
    expect(vectors.length).toBeGreaterThan(50);
    expect(vectors[0]).toEqual(expect.objectContaining({ header: expect.any(String), valid: expect.any(Boolean) }));
  });
});

describe("errors of pages", () => {
  const browse = (target: string) => sendTo(port, "GET", target, { headers: { Accept: "text/html,*/*;q=0.8" } });

  test.each(["/docs/nothing", "/docs/reference/x"])(
    "%s is a page for a browser, which leads to the others, and JSON for a program",
    async (target) => {
      const page = await browse(target);
      expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self'/);
      for (const path of ["/docs", "/docs/reference", "/developers"]) {
        expect(page.bytes.toString()).toContain(`href="${path}"`);
      }
      expect(page.bytes.toString()).toContain('<form action="/docs/search">');
      const answer = await get(target);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
    },
  );

  test.each([
    "/api",
    "/API/v1/orders",
    "/api/v1/nothing",
    "/api?x",
    "/nothing",
    "/developer",
    "/Docs",
    "//docs",
    "/livez",
  ])("%s answers JSON to a browser, too", async (target) =>
    expect((await browse(target)).headers.get("content-type")).toBe("application/json"),
  );

  test.each([
    ["/", "/docs"],
    ["/docs/", "/docs"],
    ["/docs/webhooks/", "/docs/webhooks"],
    ["/docs/reference/", "/docs/reference"],
    ["/docs/reference/createLabel/", "/docs/reference/createLabel"],
    ["/docs/events/order.created/", "/docs/events/order.created"],
  ])("%s leads to %s", async (target, page) => {
    const { status, headers } = await get(target);
    expect([status, headers.get("location")]).toEqual([308, page]);
  });

  test.each(["/docs/nothing/", "/docs/reference/nothing/", "/docs//", "/docs/..%2F/"])(
    "%s leads nowhere",
    async (target) => {
      expect((await get(target)).status).toBe(404);
    },
  );
});
