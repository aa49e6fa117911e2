import { randomBytes } from "node:crypto";
import { guides } from "@shipping/api/guides";
import { type HttpServer, listen } from "@shipping/kit/http/server/listen";
import { silentLog } from "@shipping/kit/process/log";
import express from "express";
import { resources } from "./documents.js";
import { serveSite } from "./serve-site.js";

let server: HttpServer;
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: "close", ...headers } });
const textOf = async (path: string) => (await get(path)).text();

beforeAll(async () => {
  const app = express();
  serveSite(app, { hasArea: true }, () => "https://ship.example.com");
  server = await listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
});
afterAll(() => server.stop(true));

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
