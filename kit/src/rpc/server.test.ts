import { once } from "node:events";
import http2 from "node:http2";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@shipping/proto/grpc/health/v1/health_pb";
import { LedgerService, ReadRequestSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import pg from "pg";
import { fail, failureIn } from "../errors.js";
import { DatabaseOutage, statementError } from "../postgres/outage.js";
import { silentLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { empty, ledgerRoutes, readRequest as read, rpcTestbed } from "../testing/rpc-testbed.js";
import { inProcess, serve } from "./server.js";

const log = silentLog();
const { serving, clientTo, onEnd, ends } = rpcTestbed();
afterEach(ends);

describe("serve", () => {
  test("a refusal crosses with its code, sentence and fields, in process and over the wire", async () => {
    const refusal = () => {
      throw fail("invalid_request", "url: no", [{ path: "url", message: "no" }]);
    };
    const { url } = await serving(refusal);
    for (const client of [clientTo(url), createClient(LedgerService, inProcess(ledgerRoutes(refusal), log))]) {
      const failure = failureIn(await client.read(read()).catch((error) => error));
      expect(failure).toMatchObject({ code: "invalid_request", message: "url: no", fields: [{ path: "url" }] });
    }
  });

  const sqlState = (code: string) =>
    statementError(Object.assign(new pg.DatabaseError("secret detail", 1, "error"), { code }));
  test.each<[what: string, error: Error, code: string | undefined]>([
    ["SQLSTATE 23505", sqlState("23505"), "internal_error"],
    ["SQLSTATE 22P05", sqlState("22P05"), "internal_error"],
    ["SQLSTATE 57014", sqlState("57014"), "service_unavailable"],
    ["SQLSTATE 40P01", sqlState("40P01"), "service_unavailable"],
    ["SQLSTATE 57P01", sqlState("57P01"), undefined],
    ["SQLSTATE 08006", sqlState("08006"), undefined],
    [
      "a statement that got no connection",
      new DatabaseOutage(new Error("secret detail"), false),
      "service_unavailable",
    ],
    ["any other error", new Error("secret detail"), undefined],
  ])("%s sends no details, and is a certain refusal or has an unknown outcome", async (_what, thrown, code) => {
    const broken = () => {
      throw thrown;
    };
    const { url } = await serving(broken);
    for (const client of [clientTo(url), createClient(LedgerService, inProcess(ledgerRoutes(broken), log))]) {
      const error = await client.resolve({ ...read(), token: 1n }).catch((caught) => caught);
      expect(error).toBeInstanceOf(ConnectError);
      expect(failureIn(error)?.code).toBe(code);
      expect(error.message).not.toContain("secret");
    }
  });

  test("a request over 1 MiB is refused, and the next one is answered", async () => {
    const { url } = await serving(() => {});
    const client = clientTo(url);
    const tooLarge = client.read(read("x".repeat(1024 * 1024)));
    await expect(tooLarge).rejects.toMatchObject({ code: Code.ResourceExhausted });
    expect(await client.read(read())).toEqual(empty());
  });

  test("a call of which only a part has arrived is not started", async () => {
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

  test("stop: health says NOT_SERVING, calls in flight finish, then the port is closed", async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let entered = false;
    const server = await serving(() => {
      entered = true;
      return held;
    });
    const call = clientTo(server.url).read(read());
    const health = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
    const seen: Status[] = [];
    const watching = (async () => {
      for await (const { status } of health.watch({})) seen.push(status);
    })();
    await eventually(async () => expect(seen).toEqual([Status.SERVING]));
    expect((await health.check({})).status).toBe(Status.SERVING);
    await eventually(async () => expect(entered).toBe(true));
    const stopping = server.stop();
    await watching;
    expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING]);
    finish();
    expect(await call).toEqual(empty());
    await stopping;
    await expect(clientTo(server.url).read(read())).rejects.toMatchObject({ code: Code.Unavailable });
  });
});

const MIB = 1024 * 1024;

test("pages of a megabyte for forty clients that do not read yet do not block the next client", async () => {
  const body = Buffer.alloc(MIB, "x");
  const result = { snapshot: { status: 200, body } };
  const server = await serve({
    routes: (router) => void router.service(LedgerService, { read: () => ({ result }) }),
    port: 0,
    host: "127.0.0.1",
    log,
  });
  onEnd(() => server.stop(0));
  const client = clientTo(`http://127.0.0.1:${server.port}`);
  const answers = [client.read(read())];
  await answers[0];
  for (let count = 0; count < 40; count++) {
    // Each call gets a stream of its own, because calls of one turn would share a stream.
    await turnOfLoop();
    answers.push(client.read(read()));
  }
  for (const { result } of await Promise.all(answers)) expect(result?.snapshot?.body).toHaveLength(MIB);
});
