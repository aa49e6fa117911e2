import { randomBytes } from "node:crypto";
import { type HttpServer, listen } from "@shipping/kit/http/server/listen";
import { silentLog } from "@shipping/kit/process/log";
import express from "express";
import { resources } from "./documents.js";
import { serveSite } from "./serve-site.js";

const operations = resources().flatMap((resource) => resource.operations);
let server: HttpServer;
/** The same pages, from a gateway that serves no developer area. */
let bare: HttpServer;
async function serve(hasArea: boolean): Promise<HttpServer> {
  const app = express();
  app.enable("strict routing");
  serveSite(app, { hasArea }, () => "https://ship.example.com");
  return listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
}
const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: "close" } });
const textOf = async (path: string) => (await get(path)).text();

beforeAll(async () => {
  [server, bare] = await Promise.all([serve(true), serve(false)]);
});
afterAll(() => Promise.all([server.stop(true), bare.stop(true)]));

test("GET /docs/reference: has a line for each operation, and says where the API is", async () => {
  const page = await textOf("/docs/reference");
  for (const { href, route } of operations) expect(page).toContain(`<a href="${href}">${route.summary}</a>`);
  expect(page).toContain("https://ship.example.com/api/v1");
  expect(page).toContain('href="/api/v1/openapi.json"');
  expect(page).toContain('href="/api/v1/postman.json"');
});

describe.each(operations)("GET $href", ({ href, route, path, body, refusals }) => {
  test("has method, path, scope, guide, every field and every code with what to do", async () => {
    const page = await textOf(href);
    for (const part of [route.method, path, route.scope, `/docs/${route.guide}`]) expect(page).toContain(part);
    for (const { name } of body?.fields ?? []) expect(page).toContain(`<code class="name">${name}</code>`);
    for (const { code } of refusals) expect(page).toContain(`href="/docs/errors#${code}"`);
    expect(page.match(/data-label="What to do">[^<]|data-label="What to do"><code>/g)).toHaveLength(refusals.length);
    expect(page.match(/<a href="[^"]*" aria-current="page"/g)).toEqual([`<a href="${href}" aria-current="page"`]);
  });

  test("has no style and no script of its own, and may talk to this host alone", async () => {
    const answer = await get(href);
    expect(await answer.text()).not.toMatch(/<script>|<script [^>]*>[^<]|<style|\sstyle=|\son\w+=/);
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const directive of ["script-src 'self'", "style-src 'self'", "connect-src 'self'"])
      expect(policy).toContain(directive);
    expect(policy).not.toMatch(/unsafe|https?:|data:/);
  });
});

test("a URL with a slash at its end redirects to the one without", async () => {
  for (const path of ["/docs/reference", "/docs/reference/createLabel"]) {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}/`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([308, path]);
  }
  expect((await get("/docs/reference/nothing/")).status).toBe(404);
});

test("without a developer area, no page links to it", async () => {
  for (const path of ["/docs/reference", ...operations.map(({ href }) => href)]) {
    const answer = await fetch(`http://127.0.0.1:${bare.port}${path}`, { headers: { connection: "close" } });
    expect([path, await answer.text()]).toEqual([path, expect.not.stringContaining("/developers")]);
  }
});

test("an unknown operation has no page", async () => {
  for (const path of ["/docs/reference/create", "/docs/reference/createlabel", "/docs/reference/constructor"])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});
