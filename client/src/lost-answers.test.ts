import {
  drop,
  errorOf,
  half,
  html,
  type Loopback,
  loopback,
  ok,
  type Responder,
  refusal,
  respondWith,
  SHIPMENT,
  silence,
} from "./testing/loopback.js";

const DRAFT = { id: "shp_1", object: "shipment", status: "draft" };
const REPLAYED = ok(DRAFT, { "idempotency-replayed": "true" });

let server: Loopback;
const serve = async (...responders: Responder[]) => {
  server = await loopback(...responders);
  return server;
};
afterEach(() => server[Symbol.asyncDispose]());

const keysSeen = () => server.seen.map(({ headers }) => headers["idempotency-key"]);

describe("after a lost answer, the same bytes are sent again with the same key", () => {
  test.each<[name: string, lost: Responder, timeoutMs?: number]>([
    ["executed, then dropped", drop],
    ["201 cut in the body", half(drop)],
    ["whole, but half a JSON", respondWith(201, "application/json", '{"data":{"id":"shp_1",')],
    ["whole, but without data", respondWith(201, "application/json", "{}")],
    ["whole, but with null as data", respondWith(200, "application/json", '{"data":null}')],
    ["headers, then silence", half(silence), 1_000],
    ["silence", silence, 1_000],
    ["503 service_unavailable", refusal(503, "service_unavailable")],
    ["HTML 502", html(502)],
  ])("%s", async (_name, lost, timeoutMs = 20_000) => {
    await serve(lost, REPLAYED);
    const { data, response } = await server.client({ timeoutMs }).shipments.create(SHIPMENT).withResponse();
    expect(data).toEqual(DRAFT);
    expect(response).toEqual({ status: 201, requestId: "req_1", replayed: true, idempotencyKey: keysSeen()[0] });
    expect(server.seen).toHaveLength(2);
    expect(new Set(keysSeen()).size).toBe(1);
    expect(server.seen[1]?.body).toBe(server.seen[0]?.body);
  });

  const PDF = "%PDF-1.7\n…\n%%EOF\n";
  const cut: Responder = (response) => {
    response.writeHead(200, { "content-type": "application/pdf", "content-length": "100" });
    response.write("%PDF-", () => response.socket?.destroy());
  };
  const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\nconnection: close\r\n\r\n";
  test.each<[name: string, answer: Responder]>([
    ["cut", cut],
    ["cut, of unknown length", (response) => response.socket?.end(`${HEAD}%PDF-1.7`)],
    ["empty", respondWith(200, "application/pdf", "")],
    ["something else", respondWith(200, "application/pdf", "<html>%%EOF")],
    ["of another type", respondWith(200, "text/plain", PDF)],
    ["of no type", (response) => response.writeHead(200).end(PDF)],
  ])("a PDF that is %s is loaded again", async (_name, answer) => {
    await serve(answer, respondWith(200, "application/pdf", PDF));
    expect(Buffer.from(await server.client().labels.file("lbl_1")).toString()).toBe(PDF);
    expect(server.seen).toHaveLength(2);
  });

  test("a connection that the server closed while it was idle does not make a call fail", async () => {
    await serve((response, seen) => {
      ok(DRAFT)(response, seen);
      response.once("finish", () => response.socket?.destroySoon());
    });
    const shipping = server.client();
    for (let round = 0; round < 20; round++) expect(await shipping.shipments.get("shp_1")).toEqual(DRAFT);
  });
});

describe("failures that another attempt cannot fix", () => {
  test.each<[name: string, answer: Responder, code: string]>([
    ["503 carrier_not_configured", refusal(503, "carrier_not_configured"), "carrier_not_configured"],
    ["HTML 403", html(403), "unexpected_answer"],
    ["a bare 429", html(429), "unexpected_answer"],
    ["300, although it has data", ok(DRAFT, {}, 300), "unexpected_answer"],
  ])("%s", async (_name, answer, code) => {
    await serve(answer);
    const error = await errorOf(server.client().shipments.create(SHIPMENT, { idempotencyKey: "order-7" }));
    expect(error).toMatchObject({ code, idempotencyKey: "order-7" });
    expect(server.seen).toHaveLength(1);
  });

  const redirected = "the base URL redirects to /x, and redirects are not followed. Correct baseUrl.";
  const foreign = "(text/plain) without an error object from the API.";
  test.each<[status: number, headers: Record<string, string>, message: string]>([
    [300, { location: "/x" }, `Answered 300: ${redirected}`],
    [399, { location: "/x" }, `Answered 399: ${redirected}`],
    [300, {}, `Answered 300 ${foreign}`],
    [302, {}, `Answered 302 ${foreign}`],
    [400, { location: "/x" }, `Answered 400 ${foreign}`],
  ])("%i with the headers %j says so", async (status, headers, message) => {
    await serve(respondWith(status, "text/plain", "", headers));
    expect((await errorOf(server.client().account.get())).message).toBe(message);
    expect(server.seen).toHaveLength(1);
  });

  test("a redirect as browsers show it, with only status 0", async () => {
    await serve(ok(DRAFT));
    const fetch = jest.fn(async () => Response.error());
    expect(await errorOf(server.client({ fetch }).account.get())).toMatchObject({
      code: "unexpected_answer",
      message: "Answered 0 (no content type) without an error object from the API.",
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  test("an endless answer is read up to 32 MiB", async () => {
    let sent = 0;
    await serve((response) => {
      const chunk = Buffer.alloc(1 << 20, " ");
      const write = () => {
        for (let hasRoom = true; hasRoom && !response.destroyed; sent += chunk.length) hasRoom = response.write(chunk);
      };
      response.writeHead(200, { "content-type": "application/json" }).on("drain", write);
      write();
    });
    const error = await errorOf(server.client().shipments.create(SHIPMENT, { idempotencyKey: "order-7" }));
    expect(error).toMatchObject({
      code: "unexpected_answer",
      status: 200,
      message: "Answered 200 with more than 33554432 bytes.",
      idempotencyKey: "order-7",
    });
    expect(server.seen).toHaveLength(1);
    expect(sent).toBeLessThan(64 << 20);
  });

  test("a redirect takes neither body nor key to another host", async () => {
    await using elsewhere = await loopback(ok(DRAFT));
    await serve(respondWith(307, "text/plain", "", { location: `${elsewhere.baseUrl}/shipments` }));
    await errorOf(server.client().shipments.create(SHIPMENT));
    expect([elsewhere.seen, server.seen.length]).toEqual([[], 1]);
  });
});

describe("retries", () => {
  test("end after maxRetries with the last error, which says the key to go on with", async () => {
    await serve(drop);
    const error = await errorOf(server.client({ maxRetries: 2 }).shipments.create(SHIPMENT));
    expect(server.seen).toHaveLength(3);
    const message = "The connection failed before the response was complete.";
    expect(error).toMatchObject({ code: "connection_failed", message, idempotencyKey: keysSeen()[0] });
    expect(error.cause).toMatchObject({ message: "fetch failed" });
  });

  test("send the initial input, even if the object changes", async () => {
    await serve(drop, REPLAYED);
    const input = structuredClone(SHIPMENT);
    const call = server.client().shipments.create(input);
    input.reference = "changed";
    await call;
    expect(server.seen.map(({ body }) => body)).toEqual([JSON.stringify(SHIPMENT), JSON.stringify(SHIPMENT)]);
  });

  test("each call has a key of its own, the caller's wins, reads have none", async () => {
    await serve(ok(DRAFT));
    const shipping = server.client();
    await shipping.shipments.create(SHIPMENT);
    await shipping.shipments.create(SHIPMENT);
    await shipping.shipments.create(SHIPMENT, { idempotencyKey: "order 7" });
    await shipping.shipments.get("shp_1");
    const [first, second, third, read] = keysSeen();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
    expect([third, read]).toEqual(["order 7", undefined]);
    const types = server.seen.map(({ headers }) => headers["content-type"]);
    expect(types).toEqual([...Array(3).fill("application/json"), undefined]);
  });

  test("an unused body is read, so that its connection is free again", async () => {
    const long = "x".repeat(100_000);
    await serve(respondWith(403, "text/html", long));
    const shipping = server.client();
    for (let round = 0; round < 30; round++) await errorOf(shipping.account.get());
    expect(server.sockets.total).toBeLessThan(4);
  });

  test("a Retry-After of more than a minute is not waited for", async () => {
    await serve(refusal(503, "service_unavailable", { "retry-after": "3600" }));
    expect(await errorOf(server.client().account.get())).toMatchObject({
      code: "service_unavailable",
      status: 503,
      retryAfterSeconds: 3600,
    });
    expect(server.seen).toHaveLength(1);
  });

  test("a Retry-After is waited for, and never less", async () => {
    await serve(refusal(429, "rate_limited", { "retry-after": "1" }), ok(DRAFT, {}, 200));
    const begun = performance.now();
    await server.client({ random: () => 0 }).account.get();
    expect(performance.now() - begun).toBeGreaterThan(990);
  });
});
