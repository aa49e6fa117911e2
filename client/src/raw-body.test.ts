import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { errorOf } from "./testing/loopback.js";
import { testHeader, verify } from "./webhook-signature.js";

const SECRET = "whsec_a";
const EVENT = JSON.stringify({ id: "evt_1", text: "Grüße" });

interface Told {
  status: number;
  text: string;
}

/** Sends a body to a server of Node, which answers with what `answer` returns, and whether the connection can be used again. */
async function told(body: string | Uint8Array, answer: (request: IncomingMessage) => Promise<unknown>): Promise<Told> {
  const server = createServer((request, response) => {
    answer(request).then(
      (result) => response.end(JSON.stringify(result)),
      (error) => response.writeHead(400).end(`${error.code}: ${error.message}`),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sent = await fetch(url, { method: "POST", body: body as BodyInit });
    return { status: sent.status, text: await sent.text() };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe("a request of node:http, Express, Koa or Fastify", () => {
  test("is read and verified", async () => {
    const signature = await testHeader({ payload: EVENT, secret: SECRET });
    expect(await told(EVENT, (request) => verify(request, signature, SECRET))).toEqual({ status: 200, text: EVENT });
    const decoded = (request: IncomingMessage) => verify(request.setEncoding("utf8"), signature, SECRET);
    expect(await told(EVENT, decoded)).toEqual({ status: 200, text: EVENT });
  });

  test("is read no further than the limit, and can still be answered", async () => {
    const long = new Uint8Array(1_000_000);
    const signature = await testHeader({ payload: long, secret: SECRET });
    let read = 0;
    const { status, text } = await told(long, async (request) => {
      await verify(request, signature, SECRET).catch((error) => {
        read = request.socket.bytesRead;
        throw error;
      });
    });
    expect([status, text]).toEqual([400, "invalid_signature: The body is longer than 262144 bytes."]);
    expect(read).toBeLessThan(900_000);
  });

  test("that a parser has read is refused with the reason, and its kept bytes are named", async () => {
    const read = async (request: IncomingMessage) => {
      const rawBody = await buffer(request);
      return { request, rawBody };
    };
    const parsed = await told(EVENT, async (request) => verify((await read(request)).request, "t=1,v1=a", SECRET));
    expect(parsed.text).toMatch(/^parsed_body: The stream was read before it was verified/);
    const kept = await told(EVENT, async (sent) => {
      const { request, rawBody } = await read(sent);
      return verify(Object.assign(request, { rawBody }), "t=1,v1=a", SECRET);
    });
    expect(kept.text).toMatch(/^parsed_body: This is a request whose bytes its framework has kept. Pass its rawBody./);
  });
});

test("a stream of parsed objects is refused", async () => {
  const objects = Readable.from([{ id: "evt_1" }]) as AsyncIterable<never>;
  const signature = await testHeader({ payload: EVENT, secret: SECRET });
  expect(await errorOf(verify(objects, signature, SECRET))).toMatchObject({ code: "parsed_body" });
});

const locked = new Blob([EVENT]).stream();
locked.getReader();
const request = new Request("http://a.example", { method: "POST", body: EVENT });

test.each<[what: string, body: unknown, said: string]>([
  ["a parsed event", JSON.parse(EVENT), "The body was parsed before it was verified"],
  ["a parsed number", 5, "The body was parsed before it was verified"],
  ["null", null, "The body is null. If no body parser has read the request, pass the request itself."],
  ["nothing", undefined, "The body is undefined. If no body parser"],
  ["a stream that another has", locked, "The stream was read before it was verified"],
  ["a method", request.text, "This is a function. Call it"],
  ["a promise", Promise.resolve(EVENT), "This is a promise. Pass what it resolves to"],
  ["a Request", request, "This is a Request or a Blob, not its bytes."],
  ["a Blob", new Blob([EVENT]), "This is a Request or a Blob, not its bytes."],
  ["a request of Fastify", { raw: Readable.from([EVENT]), body: {} }, "This is a framework's request or context"],
  ["a context of Koa", { req: Readable.from([EVENT]), request: {} }, "This is a framework's request or context"],
  ["a Buffer as JSON", JSON.parse(JSON.stringify(Buffer.from(EVENT))), "This is a Buffer that became JSON on its way."],
])("%s is told what it is, and how a body stays raw", async (_what, body, said) => {
  const error = await errorOf(verify(body as string, "t=1,v1=a", SECRET));
  expect(error).toMatchObject({ code: "parsed_body", message: expect.stringContaining(said) });
  for (const framework of ["express.raw(", "addContentTypeParser(", "Koa", "Next.js", "Workers"])
    expect(error.message).toContain(framework);
});
