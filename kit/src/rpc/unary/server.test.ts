import { once } from "node:events";
import http2 from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { LedgerService, ReadRequestSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { fail, failureIn } from "../../errors.js";
import { empty, readRequest as read, rpcTestbed } from "../../testing/rpc-testbed.js";

const { serving, clientTo, onEnd, ends } = rpcTestbed();
afterEach(ends);

/** The library's own client, which accepts compression; in JSON it is not answered by `answerUnary`. */
const libraryClient = (baseUrl: string, useBinaryFormat: boolean) =>
  createClient(LedgerService, createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat }));

describe("a unary call", () => {
  test("of the library's client gets the same answers, in binary and in JSON", async () => {
    const { url } = await serving((key) => {
      if (key === "refused") throw fail("not_found", "No such thing.");
    });
    for (const client of [libraryClient(url, true), libraryClient(url, false), clientTo(url)]) {
      expect(await client.read(read("found"))).toEqual(empty());
      const refused = await client.read(read("refused")).catch((error) => error);
      expect(failureIn(refused)).toMatchObject({ code: "not_found", message: "No such thing." });
    }
  });

  test("larger than a message may be is refused, and the next one is answered", async () => {
    const { url } = await serving(() => {});
    const client = clientTo(url);
    const tooLarge = client.read(read("k".repeat(1024 * 1024)));
    await expect(tooLarge).rejects.toMatchObject({ code: Code.ResourceExhausted });
    expect(await client.read(read())).toEqual(empty());
  });

  test("of which only a part has arrived is not started", async () => {
    const handled: string[] = [];
    const { url } = await serving((key) => handled.push(key));
    const session = http2.connect(url);
    onEnd(() => session.destroy());
    const message = toBinary(ReadRequestSchema, create(ReadRequestSchema, read("whole")));
    const headers = {
      ":method": "POST",
      ":path": "/shipping.ledger.v1.LedgerService/Read",
      "content-type": "application/proto",
      "connect-protocol-version": "1",
    };
    const cut = session.request(headers);
    // The message is cut at a field's end, so that the part that has arrived could be read.
    cut.write(toBinary(ReadRequestSchema, create(ReadRequestSchema, { idempotencyKey: "cut" })));
    await once(cut, "ready");
    cut.close(http2.constants.NGHTTP2_CANCEL);
    const whole = session.request(headers).end(message);
    await once(whole.resume(), "end");
    expect(handled).toEqual(["whole"]);
  });

  test("whose client has gone does not end the process, whatever its handler does", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const leaving = new AbortController();
    const { url } = await serving((key) => {
      if (key !== "held") return;
      leaving.abort();
      return held;
    });
    const client = clientTo(url);
    const left = client.read(read("held"), { signal: leaving.signal });
    await expect(left).rejects.toMatchObject({ code: Code.Canceled });
    release();
    expect(await client.read(read())).toEqual(empty());
  });
});
