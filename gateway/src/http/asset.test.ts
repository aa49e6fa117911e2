import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "@shipping/kit/process/log";
import express from "express";
import { assetOf } from "./asset.js";
import { type HttpServer, listen } from "./listen.js";

const style = assetOf("/some/style.css", "base.css", "guides.css");
const content = ["base.css", "guides.css"]
  .map((file) => readFileSync(join(import.meta.dirname, "../../assets", file), "utf8"))
  .join("");

let server: HttpServer;
const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { connection: "close" } });

beforeAll(async () => {
  const app = express();
  style.serve(app);
  server = await listen({ handler: app, port: 0, host: "127.0.0.1", log: silentLog(), random: randomBytes });
});
afterAll(() => server.stop(true));

test("the address that pages load has a hash of the content, and may be kept for a year", async () => {
  expect(style.href).toMatch(/^\/some\/style\.css\?v=[0-9a-f]{12}$/);
  const answer = await get(style.href);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/css; charset=utf-8"]);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(await answer.text()).toBe(content);
});

test.each(["/some/style.css", "/some/style.css?v=000000000000", `${style.href}&v=2`])(
  "%s, the address of another release, is asked for each time",
  async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    expect(await answer.text()).toBe(content);
  },
);
