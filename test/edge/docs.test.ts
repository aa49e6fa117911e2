import { type Stack, startStack } from "../stack.js";
import { sendTo } from "./wire.js";

let stack: Stack;
let port: number;
beforeAll(async () => {
  stack = await startStack();
  port = Number(new URL(stack.baseUrl).port);
});
afterAll(() => stack.stop());

const get = (target: string) => sendTo(port, "GET", target);
const textOf = async (target: string) => (await get(target)).bytes.toString();

/** Everything that the page names, by attribute. */
async function assets(): Promise<string[]> {
  return [...(await textOf("/docs")).matchAll(/\b(?:src|href|action|data|poster|srcset)\s*=\s*["']?([^"'\s>]+)/gi)].map(
    ([, target]) => target ?? "",
  );
}

describe("GET /docs", () => {
  test("200 without a key, as HTML", async () => {
    const page = await get("/docs");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.bytes.toString()).toMatch(/^<!doctype html>/i);
  });

  test("names nothing of another host, and all that it names is here", async () => {
    const named = await assets();
    expect(named.length).toBeGreaterThanOrEqual(3);
    for (const target of named) {
      expect(target).toMatch(/^\/(?!\/)/);
      const asset = await get(target);
      expect([target, asset.status, asset.bytes.length > 0]).toEqual([target, 200, true]);
    }
  });

  test("its style sheets load nothing more", async () => {
    const sheets = (await assets()).filter((target) => target.endsWith(".css"));
    expect(sheets).not.toEqual([]);
    for (const sheet of sheets) {
      const text = await textOf(sheet);
      expect(text).not.toMatch(/@import/);
      const urls = [...text.matchAll(/url\(\s*["']?([^"')]+)/g)].map(([, target]) => target ?? "");
      expect(urls.filter((target) => !target.startsWith("data:"))).toEqual([]);
    }
  });

  test("its own script asks for the document of this host, and for no validator elsewhere", async () => {
    const start = await textOf("/docs/start.js");
    const [, document = ""] = /url: "([^"]+)"/.exec(start) ?? [];
    expect(document).toBe("/api/v1/openapi.json");
    expect((await get(document)).status).toBe(200);
    expect(start).toContain("validatorUrl: null");
    expect(start).not.toMatch(/https?:/);
  });

  test("a browser is told to load nothing from elsewhere, and to run no script but these", async () => {
    const policy = (await get("/docs")).headers.get("content-security-policy") ?? "";
    const directives = new Map(policy.split("; ").map((directive) => directive.split(/ (.*)/s, 2) as [string, string]));
    expect(directives.get("default-src")).toBe("'none'");
    for (const [name, sources] of directives)
      expect([name, sources]).toEqual([name, expect.not.stringMatching(/\*|https?:/)]);
    for (const name of ["script-src", "connect-src"]) expect(directives.get(name)).toBe("'self'");
    expect(await textOf("/docs")).not.toMatch(/<script>|<script [^>]*>[^<]|\son\w+\s*=|javascript:/i);
  });

  test("nothing is set and nothing is remembered: no cookie", async () => {
    for (const target of ["/docs", "/api/v1/openapi.json", ...(await assets())]) {
      expect((await get(target)).headers.has("set-cookie")).toBe(false);
    }
  });
});
