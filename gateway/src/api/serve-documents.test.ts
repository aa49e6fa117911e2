import { randomBytes } from "node:crypto";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import { type HttpServer, listen } from "@shipping/kit/http/server/listen";
import { silentLog } from "@shipping/kit/process/log";
import express from "express";
import { serveDocuments } from "./serve-documents.js";

let server: HttpServer;
const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: "close" } });

beforeAll(async () => {
  const app = express();
  const origin = () => "https://ship.example.com";
  serveDocuments(app, { known: origin, assumed: origin });
  server = await listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
});
afterAll(() => server.stop(true));

describe("the description of the API", () => {
  test.each([
    ["/api/v1/openapi.json", "3.1.1"],
    ["/api/v1/openapi-3.0.json", "3.0.3"],
  ])("GET %s needs no key, is OpenAPI %s, and names the address of this installation", async (path, openapi) => {
    const answer = await get(path);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const { info, tags } = openApiDocument();
    const servers = [{ url: "https://ship.example.com/api/v1" }];
    expect(await answer.json()).toMatchObject({
      openapi,
      info,
      servers,
      tags: expect.arrayContaining(tags.slice(0, -1)),
    });
  });

  test("GET /api/v1/postman.json needs no key, and names the address of this installation and no other", async () => {
    const answer = await get("/api/v1/postman.json");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w.]+\.json"$/);
    const text = await answer.text();
    expect(JSON.parse(text).variable).toContainEqual({ key: "base_url", value: "https://ship.example.com/api/v1" });
    const hosts = [...text.matchAll(/https:\/\/[\w.]+/g)].map(([host]) => host);
    expect(new Set(hosts)).toEqual(
      new Set(["https://schema.getpostman.com", "https://ship.example.com", "https://hooks.example.com"]),
    );
  });
});
