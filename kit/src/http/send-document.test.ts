import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import express, { type ErrorRequestHandler } from "express";
import { createAsset, createDocument, createTwins, loadAsset, sendDocument, sendTwin } from "./send-document.js";

const TEXT = "Labels and parcels. ".repeat(200);
const page = createDocument("text/html; charset=utf-8", TEXT);
const picture = createDocument("image/png", Buffer.from(TEXT));
const twins = createTwins("/twin.md", "<p>a page</p>", "a page", { "Content-Security-Policy": "default-src 'none'" });
const refuse: ErrorRequestHandler = (error, _req, res, _next) => void res.status(error.status).end(error.message);

const asset = (name: string) => new URL(`../../../site/assets/${name}`, import.meta.url);
const style = loadAsset("/some/style.css", asset("base.css"), asset("guides.css"));
const index = createAsset("/index.json", "{}");
const content = ["base.css", "guides.css"].map((file) => readFileSync(asset(file), "utf8")).join("");

let server: Server;
beforeAll(async () => {
  const app = express();
  app.get("/page", (req, res) => sendDocument(req, res, page));
  const assets = ["mark.svg", "mark-32.png", "code.js"].map((file) => loadAsset(`/${file}`, asset(file)));
  for (const { path, send } of [style, index, ...assets]) app.get(path, send);
  app.get("/picture", (req, res) => sendDocument(req, res, picture));
  app.get("/twin", (req, res) => sendTwin(req, res, twins));
  app.use(refuse);
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

// Does not use `fetch`, which requests compression by itself and hides it.
async function get(path: string, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const asked = request({ host: "127.0.0.1", port, path, headers, agent: false }).end();
  const answer = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    asked.once("response", resolve).once("error", reject);
  });
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const gzip = { "accept-encoding": "br, gzip" };

test("text is compressed for whoever takes it, and says that it depends on that", async () => {
  const compressed = await get("/page", gzip);
  expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
  expect(compressed.headers["content-length"]).toBe(String(compressed.body.length));
  expect(compressed.body.length).toBeLessThan(TEXT.length / 10);
  expect(gunzipSync(compressed.body).toString()).toBe(TEXT);
});

test.each(["", "identity", "gzip;q=0", "br"])("Accept-Encoding: %s gets it as it is", async (encoding) => {
  const { headers, body } = await get("/page", { "accept-encoding": encoding });
  expect(headers).not.toHaveProperty("content-encoding");
  expect(headers.vary).toBe("Accept-Encoding");
  expect(body.toString()).toBe(TEXT);
});

test("each encoding has an entity tag of its own, under which it is known", async () => {
  const tags = [(await get("/page")).headers.etag ?? "", (await get("/page", gzip)).headers.etag ?? ""] as const;
  expect(tags[0]).not.toBe(tags[1]);
  expect((await get("/page", { "if-none-match": tags[0] })).status).toBe(304);
  expect((await get("/page", { ...gzip, "if-none-match": tags[1] })).status).toBe(304);
  expect((await get("/page", { ...gzip, "if-none-match": tags[0] })).status).toBe(200);
});

test("a part is a part of the encoding", async () => {
  const whole = await get("/page", gzip);
  const part = await get("/page", { ...gzip, range: "bytes=2-9" });
  expect(part.status).toBe(206);
  expect(part.headers["content-range"]).toBe(`bytes 2-9/${whole.body.length}`);
  expect(part.body.equals(whole.body.subarray(2, 10))).toBe(true);
});

test("every answer says what the document is and when it was made, in whole or in part", async () => {
  const modified = new Date(
    Math.floor(statSync(join(import.meta.dirname, "send-document.ts")).mtimeMs / 1_000) * 1_000,
  );
  const named = { etag: expect.stringMatching(/^"[\w-]{27}"$/), "last-modified": modified.toUTCString() };
  const described = { ...named, "cache-control": "no-cache", vary: "Accept-Encoding" };
  const sent = { ...described, "accept-ranges": "bytes", "content-type": "text/html; charset=utf-8" };
  const whole = await get("/page");
  expect(whole).toMatchObject({ status: 200, headers: { ...sent, "content-length": String(TEXT.length) } });
  const part = await get("/page", { range: "bytes=-7" });
  const range = `bytes ${TEXT.length - 7}-${TEXT.length - 1}/${TEXT.length}`;
  expect(part).toMatchObject({ status: 206, headers: { ...sent, "content-length": "7", "content-range": range } });
  expect(part.body.toString()).toBe(TEXT.slice(-7));
  const same = await get("/page", { "if-none-match": whole.headers.etag ?? "" });
  expect(same).toMatchObject({ status: 304, headers: described });
  expect(same.body).toHaveLength(0);
});

test("a condition that is not met and a range outside are refused", async () => {
  const unmet = await get("/page", { "if-match": '"another"' });
  expect([unmet.status, unmet.body.toString()]).toEqual([412, "A precondition of the request is not met."]);
  const outside = await get("/page", { range: `bytes=${TEXT.length}-` });
  expect([outside.status, outside.body.toString()]).toEqual([416, "The requested range is outside the document."]);
  expect(outside.headers["content-range"]).toBe(`bytes */${TEXT.length}`);
});

test("a page and its Markdown have one address; browsers get the page, which says where the Markdown is", async () => {
  const [html, markdown] = [await get("/twin", { accept: "*/*" }), await get("/twin", { accept: "text/markdown" })];
  expect(html.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    vary: "Accept, Accept-Encoding",
    link: `</twin.md>; rel="alternate"; type="text/markdown", </llms.txt>; rel="describedby"; type="text/plain"`,
  });
  expect(html.body.toString()).toBe("<p>a page</p>");
  expect(markdown.headers).toMatchObject({
    "content-type": "text/markdown; charset=utf-8",
    vary: "Accept, Accept-Encoding",
  });
  expect(markdown.body.toString()).toBe("a page");
});

test("a picture is never compressed; text, JSON and SVG are, before anyone asks for them", async () => {
  const { headers, body } = await get("/picture", gzip);
  expect(headers).not.toHaveProperty("content-encoding");
  expect(headers).not.toHaveProperty("vary");
  expect(body.toString()).toBe(TEXT);
  for (const type of ["text/css", "application/json", "image/svg+xml"]) {
    const { compressed } = createDocument(type, TEXT);
    expect(compressed).toMatchObject({ encoding: "gzip", body: gzipSync(TEXT) });
  }
});

test.each([
  ["mark.svg", "image/svg+xml"],
  ["mark-32.png", "image/png"],
  ["code.js", "text/javascript; charset=utf-8"],
])("%s is served as %s", async (file, type) => {
  const { headers, body } = await get(`/${file}`, { "accept-encoding": "identity" });
  expect(headers["content-type"]).toBe(type);
  expect(body).toEqual(readFileSync(asset(file)));
});

test("an asset can also be made from text", async () => {
  const { status, headers, body } = await get(index.href);
  expect([status, headers["content-type"], body.toString()]).toEqual([200, "application/json", "{}"]);
});

test("the address that pages load has a hash of the content, and may be kept for a year", async () => {
  expect(style.href).toMatch(/^\/some\/style\.css\?v=[0-9a-f]{12}$/);
  const { status, headers, body } = await get(style.href);
  expect([status, headers["content-type"]]).toEqual([200, "text/css; charset=utf-8"]);
  expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(body.toString()).toBe(content);
});

test.each(["/some/style.css", "/some/style.css?v=000000000000", `${style.href}&v=2`])(
  "%s, the address of another release, is asked for each time",
  async (path) => {
    const { status, headers, body } = await get(path);
    expect([status, headers["cache-control"]]).toEqual([200, "no-cache"]);
    expect(body.toString()).toBe(content);
  },
);
