import type http2 from "node:http2";
import { gzipSync } from "node:zlib";
import { Code } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { callEnd, closeAll, codes, keys, library, listening, ours, sessionTo } from "../../testing/protocol-testbed.js";
import { unaryOver } from "./client.js";

afterEach(closeAll);

describe("a client ends as the library's, asking for no compression", () => {
  const clients = (baseUrl: string) => {
    const sessionManager = sessionTo(baseUrl);
    const options = { baseUrl, sessionManager, httpVersion: "2" as const, acceptCompression: [] };
    return [createConnectTransport(options).unary, unaryOver(sessionManager)] as const;
  };

  test.each([...keys, ...codes])("at the library's server: %s", async (key) => {
    const [theirs, own] = clients(await listening(library()));
    const expected = await callEnd(theirs, key, { timeoutMs: 0 });
    expect(await callEnd(own, key, { timeoutMs: 0 })).toEqual(expected);
  });

  test("at the library's server, with its own deadline, which the handler sees", async () => {
    const url = await listening(library());
    for (const unary of clients(url)) {
      expect(await callEnd(unary, "never", { timeoutMs: 20 })).toMatchObject({ code: Code.DeadlineExceeded });
      const left = (await callEnd(unary, "time", { timeoutMs: 5_000 })).message?.result?.snapshot?.status;
      expect(left).toBeGreaterThan(4_000);
      expect(left).toBeLessThanOrEqual(5_000);
    }
  });

  test("at the library's server, whatever the deadline: one beyond what a header and a timer hold is none", async () => {
    const [, own] = clients(await listening(library()));
    for (const timeoutMs of [0.5 + 5_000, 10 ** 12, Number.POSITIVE_INFINITY]) {
      expect(await callEnd(own, "plain", { timeoutMs })).toHaveProperty("message");
    }
  });

  const json = (value: unknown) => JSON.stringify(value);
  const PROTO = "application/proto";
  const JSON_TYPE = "application/json";
  const detail = { type: "shipping.common.v1.ErrorDetail", value: "CglOT1RfRk9VTkQ" };
  test.each<[status: number, type: string | undefined, body: string | Buffer, headers?: object]>([
    ...[301, 400, 401, 403, 404, 408, 418, 429, 500, 501, 502, 503, 504].map((status): [number, string, string] => [
      status,
      "text/html",
      "<html>",
    ]),
    [404, undefined, ""],
    [503, PROTO, ""],
    [404, JSON_TYPE, json({ code: "not_found", message: "no" }), { "trailer-x-why": "gone", "x-header": "h" }],
    [429, JSON_TYPE, json({ code: "of the future", message: "no", details: [detail] })],
    [503, JSON_TYPE, json({})],
    [503, JSON_TYPE, json({ code: "aborted", message: 7 })],
    [503, JSON_TYPE, json({ code: "aborted", details: [7] })],
    [503, JSON_TYPE, json([])],
    [503, JSON_TYPE, "<html>"],
    [503, "application/json; charset=utf-8", json({ code: "aborted" })],
    [503, JSON_TYPE, gzipSync(json({ code: "aborted" })), { "content-encoding": "gzip" }],
    [200, JSON_TYPE, "{}"],
    [200, "text/html", "<html>"],
    [200, undefined, ""],
    [200, "application/connect+proto", ""],
    [200, PROTO, Buffer.of(255, 255)],
    [200, PROTO, gzipSync(""), { "content-encoding": "gzip" }],
    [200, PROTO, "", { "content-encoding": "identity" }],
    [204, PROTO, ""],
  ])("when the answer is %s %s %s", async (status, type, body, headers = {}) => {
    const asked: http2.IncomingHttpHeaders[] = [];
    const url = await listening((request, response) => {
      asked.push(request.headers);
      request.resume();
      response.writeHead(status, { ...headers, ...(type === undefined ? {} : { "content-type": type }) });
      response.end(body);
    });
    const [theirs, own] = clients(url);
    const expected = await callEnd(theirs, "plain");
    expect(await callEnd(own, "plain")).toEqual(expected);
    expect(asked.map((head) => head["accept-encoding"])).toEqual([undefined, undefined]);
  });
});

test("calls in a batch get what comes beside a message, and errors with all they hold, as they do alone", async () => {
  const unary = unaryOver(sessionTo(await listening(ours())));
  for (const key of ["trailer", Code.NotFound]) {
    const alone = await callEnd(unary, key);
    // A complete HTTP answer also has a content-length.
    for (const headers of [alone.header, alone.metadata]) delete headers?.["content-length"];
    expect(await Promise.all([callEnd(unary, key), callEnd(unary, key)])).toEqual([alone, alone]);
  }
});
