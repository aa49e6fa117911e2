import { randomBytes } from "node:crypto";
import { silentLog } from "@shipping/kit/process/log";
import express from "express";
import { type HttpServer, listen } from "../http/listen.js";
import { openApiDocument } from "./openapi.js";
import { servePages } from "./serve-pages.js";

let server: HttpServer;
const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: "close" } });

beforeAll(async () => {
  const app = express();
  servePages(app, { hasArea: true });
  server = await listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
});
afterAll(() => server.stop(true));

describe("the description of the API", () => {
  test("GET /api/v1/openapi.json needs no key", async () => {
    const answer = await get("/api/v1/openapi.json");
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  test("GET /docs/reference loads nothing from elsewhere, and everything it names is here", async () => {
    const answer = await get("/docs/reference");
    const page = await answer.text();
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    const files = [...page.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");
    for (const file of [...files, "/favicon.ico"]) {
      expect(file).toMatch(/^\/(?!\/)/);
      expect([file, (await get(file)).status]).toEqual([file, 200]);
    }
    expect(page).not.toMatch(/<script>|\son\w+=/);
  });

  test("nothing else of the package is served", async () => {
    expect((await get("/docs/package.json")).status).toBe(404);
  });
});
