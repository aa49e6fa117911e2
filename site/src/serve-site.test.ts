import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { guides } from "@shipping/api/guides";
import { type HttpServer, listen } from "@shipping/kit/http/server/listen";
import { silentLog } from "@shipping/kit/process/log";
import express from "express";
import { findGuide, resources } from "./documents.js";
import { serveSite } from "./serve-site.js";

let server: HttpServer;
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: "close", ...headers } });
const textOf = async (path: string) => (await get(path)).text();

beforeAll(async () => {
  const app = express();
  // On a busy machine, rendering takes longer than a listener waits.
  await serveSite(app, { hasArea: true }, () => "https://ship.example.com")();
  server = await listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
});
afterAll(() => server.stop(true));

test.each(["/docs", "/docs/errors", "/docs/reference", "/docs/search"])(
  "%s runs the script of the theme before its styles, and not later, so that no other theme is painted",
  async (path) => {
    const [head = ""] = (await textOf(path)).split("</head>");
    const [script, style] = [head.indexOf("<script"), head.indexOf('<link rel="stylesheet"')];
    expect(head.slice(script)).toMatch(/^<script src="\/code\.js\?v=\w+"><\/script>/);
    expect(script).toBeLessThan(style);
  },
);

describe("pages for programs", () => {
  const operations = resources().flatMap((resource) => resource.operations);
  const hrefs = [
    ...guides.map(({ slug }) => `/docs/${slug}`),
    ...operations.map(({ href }) => href),
    "/docs/reference",
  ];

  test.each(hrefs)("%s names its Markdown, which is also what a client gets that prefers it", async (href) => {
    const [page, preferred, own] = await Promise.all([
      get(href, { accept: "text/html,*/*;q=0.8" }),
      get(href, { accept: "text/markdown, text/html;q=0.9" }),
      get(`${href}.md`),
    ]);
    const types = [page, preferred, own].map((answer) => answer.headers.get("content-type"));
    expect(types.map((type) => type?.split(";")[0])).toEqual(["text/html", "text/markdown", "text/markdown"]);
    for (const { headers } of [page, preferred]) expect(headers.get("vary")).toBe("Accept, Accept-Encoding");
    expect(page.headers.get("link")).toContain(`<${href}.md>; rel="alternate"; type="text/markdown"`);
    expect(page.headers.get("etag")).not.toBe(own.headers.get("etag"));
    const text = await own.text();
    expect(await preferred.text()).toBe(text);
    expect(text).toMatch(/^# \S/);
    expect(text).not.toMatch(/https:\/\/shipping\.example\.com|\]\(\./);
  });

  test("/llms.txt has a line for each of them, and is the Markdown of /docs; /llms-full.txt has all of them", async () => {
    const [list, full, overview] = await Promise.all([
      textOf("/llms.txt"),
      textOf("/llms-full.txt"),
      get("/docs", { accept: "text/markdown" }),
    ]);
    expect(await overview.text()).toBe(list);
    const links = [...list.matchAll(/\]\((\/docs\/.*?)\.md\)/g)].map(([, href]) => href);
    expect(links.sort()).toEqual([...hrefs].sort());
    for (const href of hrefs) expect(full).toContain(await textOf(`${href}.md`));
    expect(list).toContain("https://ship.example.com/api/v1");
  });

  test.each([...hrefs, "/docs"])(
    "%s has one sentence and one URL for search engines, which find it in the list of pages",
    async (href) => {
      const [page, list] = await Promise.all([textOf(href), textOf("/sitemap.xml")]);
      expect(page.match(/<meta name="description" content="[^"]{20,200}"\/>/g)).toHaveLength(1);
      expect(page.match(/<link rel="canonical" href="[^"]*"\/>/g)).toEqual([
        `<link rel="canonical" href="https://ship.example.com${href}"/>`,
      ]);
      expect(list).toContain(`<loc>https://ship.example.com${href}</loc>`);
    },
  );

  test("/robots.txt keeps crawlers out of the developer area and the API, and names the list of pages", async () => {
    expect((await textOf("/robots.txt")).split("\n")).toEqual([
      ...["User-agent: *", "Disallow: /developers", "Disallow: /api/", "Disallow: /mcp"],
      ...["Sitemap: https://ship.example.com/sitemap.xml", ""],
    ]);
  });

  test("the changelog is a feed, whose entries lead to their dates", async () => {
    const answer = await get("/docs/changelog.atom");
    expect(answer.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
    const feed = await answer.text();
    const changelog = await textOf("/docs/changelog");
    const entries = [...feed.matchAll(/<entry>.*?<\/entry>/gs)].map(([entry]) => entry);
    expect(entries.length).toBeGreaterThan(1);
    for (const entry of entries) {
      const [, date] = /<updated>(\S+)T00:00:00Z<\/updated>/.exec(entry) ?? [];
      expect(entry).toContain(`<id>https://ship.example.com/docs/changelog#${date}</id>`);
      expect(changelog).toContain(`id="${date}"`);
    }
    expect(feed).not.toMatch(/&quot;\/docs|shipping\.example\.com|<(p|ul|h3)>/);
  });

  test.each([
    [undefined, "text/html"],
    ["*/*", "text/html"],
    ["text/*", "text/html"],
    ["application/json", "text/html"],
    ["text/markdown", "text/markdown"],
    ["text/markdown, text/html, */*", "text/markdown"],
    ["text/html, text/markdown;q=0.5", "text/html"],
    ["text/markdown;q=0, */*", "text/html"],
  ])("a client that sends Accept %s gets %s", async (accept, type) => {
    const { headers } = await get("/docs/errors", accept === undefined ? {} : { accept });
    expect(headers.get("content-type")).toContain(type);
  });
});

test.each([
  [true, 1],
  [false, 0],
])("pages lead to the developer area if it is served: %s", async (hasArea, atLeast) => {
  const app = express();
  serveSite(app, { hasArea }, () => "https://ship.example.com");
  const own = await listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
  try {
    for (const path of ["/docs", "/docs/quick-start", "/docs/environments", "/docs/webhooks"]) {
      const answer = await fetch(`http://127.0.0.1:${own.port}${path}`, { headers: { connection: "close" } });
      const main = /<main[\s\S]*<\/main>/.exec(await answer.text())?.[0] ?? "";
      const links = main.match(/href="\/developers/g)?.length ?? 0;
      expect([path, Math.min(links, 1)]).toEqual([path, atLeast]);
    }
  } finally {
    await own.stop(true);
  }
});

describe("every document is made once", () => {
  const own = express();
  const bodies: unknown[] = [];
  own.use((_req, res, next) => {
    const end = res.end.bind(res) as (body?: unknown) => typeof res;
    res.end = ((body?: unknown) => {
      bodies.push(body);
      return end(body);
    }) as typeof res.end;
    next();
  });
  const render = serveSite(own, { hasArea: true }, () => "https://ship.example.com");
  let once: HttpServer;
  let paths: string[];
  beforeAll(async () => {
    const assets = ["/style.css", "/code.js", "/favicon.ico", "/docs/style.css", "/docs/minisearch.js"];
    paths = [...assets, ...(await render()).keys()];
    once = await listen({ handler: own, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
  });
  afterAll(() => once.stop(true));

  const strangers: Record<string, string>[] = [
    {},
    { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", cookie: "session=1" },
    { "user-agent": "Mozilla/5.0", "accept-language": "de", origin: "https://evil.example", authorization: "Bearer x" },
  ];

  test.each(["gzip", "identity"])("and the same bytes answer whoever asks for it (%s)", async (encoding) => {
    expect(paths.length).toBeGreaterThan(130);
    for (const path of paths) {
      const before = bodies.length;
      const sent = [];
      for (const [turn, headers] of strangers.entries()) {
        const url = `http://127.0.0.1:${once.port}${path}?q=${turn}`;
        const all = { connection: "close", "accept-encoding": encoding, ...headers };
        const answer = await fetch(url, { headers: all, redirect: "manual" });
        await answer.arrayBuffer();
        sent.push([answer.status, answer.headers.get("etag"), answer.headers.get("location")]);
      }
      expect([path, ...sent.slice(1)]).toEqual([path, sent[0], sent[0]]);
      const [first, ...others] = bodies.slice(before);
      for (const other of others) expect(other).toBe(first);
    }
  });

  test("and no style, script or picture waits for that", async () => {
    const app = express();
    serveSite(app, { hasArea: true }, () => {
      throw new Error("A document was asked for.");
    });
    const bare = await listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
    try {
      for (const path of ["/style.css", "/docs/reference.css", "/docs/search-field.js", "/favicon.svg"]) {
        const answer = await fetch(`http://127.0.0.1:${bare.port}${path}`, { headers: { connection: "close" } });
        expect([path, answer.status]).toEqual([path, 200]);
      }
    } finally {
      await bare.stop(true);
    }
  });

  test("while other work goes on", async () => {
    const rendering = serveSite(express(), { hasArea: false }, () => "https://other.example")();
    let isDone = false;
    rendering.finally(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await nextTurn();
    expect(turns).toBeGreaterThan(guides.length);
  });
});

describe("the search", () => {
  test("leads to a page of all pages and headings without a script, whatever its text is", async () => {
    const html = await textOf("/docs/search?q=%3Cimg%20src%3Dx%3E");
    expect(html).not.toContain("<img");
    const headings = guides.flatMap(({ slug }) => [
      `/docs/${slug}`,
      ...findGuide(slug)!.rendered.sections.map(({ id }) => `/docs/${slug}#${id}`),
    ]);
    const operations = resources().flatMap((resource) => resource.operations.map(({ href }) => href));
    const main = /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "";
    for (const href of [...headings, ...operations]) expect(main).toContain(`<a href="${href}">`);
  });

  test.each(["/docs", "/docs/webhooks", "/docs/reference/createLabel", "/docs/search"])(
    "of %s names files that browsers keep, and its policy lets the script read the index",
    async (path) => {
      const page = await get(path);
      const html = await page.text();
      const files = [...html.matchAll(/data-\w+="(\/docs\/[^"]+)"|type="module" src="([^"]+)"/g)].map(
        ([, data, script]) => data ?? script ?? "",
      );
      expect(files.filter((file) => !file.includes("/docs/try-it"))).toHaveLength(4);
      for (const file of files) {
        const { status, headers } = await get(file);
        expect([file, status, headers.get("cache-control")]).toEqual([
          file,
          200,
          "public, max-age=31536000, immutable",
        ]);
      }
      const policy = page.headers.get("content-security-policy");
      expect(policy).toContain("script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'");
      expect(policy).toContain("connect-src 'self'");
    },
  );
});
