import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { exchange } from "@shipping/mcp/exchange";
import { Agent } from "undici";

const dispatcher = new Agent();
let server: Server;
let origin: string;
/** The outcome of a request that the server never answers. */
let begin: (connection: Socket) => void;
beforeAll(async () => {
  server = createServer((req, res) => {
    if (req.url === "/never") return begin(req.socket);
    if (req.url === "/cut")
      return void res.writeHead(200, { "Content-Length": 9 }).write("abc", () => req.socket.destroy());
    res.writeHead(201, { "X-Path": String(req.url) });
    res.write("one ");
    res.end("two");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await dispatcher.destroy();
  server.close();
});

const get = (path: string) => exchange(dispatcher, { origin, path, method: "GET" });

test("an exchange collects status, headers and body", async () => {
  const { status, headers, body } = await get("/a").answer;
  expect([status, headers["x-path"], String(body)]).toEqual([201, "/a", "one two"]);
});

test("one that is aborted before and after it has begun rejects, and its connection is closed", async () => {
  const early = get("/early");
  early.abort();
  await expect(early.answer).rejects.toThrow("The client has disconnected.");
  const begun = new Promise<Socket>((resolve) => {
    begin = resolve;
  });
  const late = get("/never");
  const closed = once(await begun, "close");
  late.abort();
  await expect(late.answer).rejects.toThrow("The client has disconnected.");
  await closed;
});

test("one whose response is cut rejects", async () => {
  await expect(get("/cut").answer).rejects.toThrow();
});
