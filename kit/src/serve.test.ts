import http2 from "node:http2";
import net from "node:net";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@shipping/proto/grpc/health/v1/health_pb";
import { LedgerService, ReadResponseSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import pg from "pg";
import { fail, failureIn } from "./errors.js";
import { silentLog } from "./log.js";
import { connectTo } from "./rpc-client.js";
import { inProcess, type Routes, type RpcServer, serve } from "./serve.js";
import { eventually } from "./testing/eventually.js";

const log = silentLog();
const read = (idempotencyKey = "k") => ({ caller: { accountId: "acc_1", environment: "sandbox" }, idempotencyKey });
const empty = () => create(ReadResponseSchema);
const routesOf = (handle: (key: string) => unknown): Routes => {
  return (router) =>
    void router.service(LedgerService, {
      read: async (request) => {
        await handle(request.idempotencyKey);
        return empty();
      },
    });
};

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serving(handle: (key: string) => unknown, port = 0): Promise<RpcServer & { url: string }> {
  const server = await serve({ routes: routesOf(handle), port, host: "127.0.0.1", log });
  let stopped: Promise<void> | undefined;
  const stop = (noticeMs = 0) => {
    stopped ??= server.stop(noticeMs);
    return stopped;
  };
  stops.push(stop);
  return { port: server.port, stop, url: `http://127.0.0.1:${server.port}` };
}

function clientTo(urls: string) {
  const transport = connectTo({ urls, log });
  stops.push(() => transport.close());
  return createClient(LedgerService, transport);
}

/** A port where nobody listens. */
async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("serve", () => {
  test("answers Connect, gRPC and gRPC-Web on one port", async () => {
    const { url } = await serving(() => {});
    const grpc = createGrpcTransport({ baseUrl: url });
    const grpcWeb = createGrpcWebTransport({ baseUrl: url, httpVersion: "2" });
    for (const client of [clientTo(url), createClient(LedgerService, grpc), createClient(LedgerService, grpcWeb)]) {
      expect(await client.read(read())).toEqual(empty());
    }
  });

  test("a refusal crosses with its code, sentence and fields, in process and over the wire", async () => {
    const refusal = () => {
      throw fail("invalid_request", "url: no", [{ path: "url", message: "no" }]);
    };
    const { url } = await serving(refusal);
    for (const client of [clientTo(url), createClient(LedgerService, inProcess(routesOf(refusal), log))]) {
      const failure = failureIn(await client.read(read()).catch((error) => error));
      expect(failure).toMatchObject({ code: "invalid_request", message: "url: no", fields: [{ path: "url" }] });
    }
  });

  test.each([
    ["23505", "internal_error"],
    ["22P05", "internal_error"],
    ["57014", "service_unavailable"],
    ["40P01", "service_unavailable"],
    ["57P01", undefined],
    ["08006", undefined],
  ])("SQLSTATE %s is a certain %s (undefined: unknown)", async (state, code) => {
    const broken = () => {
      throw Object.assign(new pg.DatabaseError("secret detail", 1, "error"), { code: state });
    };
    const client = createClient(LedgerService, inProcess(routesOf(broken), log));
    const error = await client.read(read()).catch((caught) => caught);
    expect(failureIn(error)?.code).toBe(code);
    expect(error.message).not.toContain("secret");
  });

  test("anything else has an unknown end, and its text stays inside", async () => {
    const broken = () => {
      throw new Error("password=hunter2");
    };
    const { url } = await serving(broken);
    const error = await clientTo(url)
      .read(read())
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(ConnectError);
    expect(failureIn(error)).toBeUndefined();
    expect(error.message).not.toContain("hunter2");
  });

  test("a request over 1 MiB is refused", async () => {
    const { url } = await serving(() => {});
    const error = await clientTo(url)
      .read(read("x".repeat(1024 * 1024 + 1)))
      .catch((caught) => caught);
    expect(ConnectError.from(error).code).toBe(Code.ResourceExhausted);
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

describe("connectTo", () => {
  test("spreads calls over all its addresses", async () => {
    const counts = [0, 0];
    const servers = await Promise.all([0, 1].map((index) => serving(() => counts[index]!++)));
    const client = clientTo(servers.map(({ url }) => url).join(","));
    for (let call = 0; call < 10; call++) await client.read(read());
    expect(counts).toEqual([5, 5]);
  });

  test("a replica that refuses the connection costs no call", async () => {
    const { url } = await serving(() => {});
    const client = clientTo(`http://127.0.0.1:${await closedPort()},${url}`);
    for (let call = 0; call < 4; call++) expect(await client.read(read())).toEqual(empty());
  });

  test("no replica at all is a certain service_unavailable: nothing was sent", async () => {
    const error = await clientTo(`http://127.0.0.1:${await closedPort()}`)
      .read(read())
      .catch((caught) => caught);
    expect(failureIn(error)?.code).toBe("service_unavailable");
  });

  test("a write whose connection breaks is sent once, its end unknown; a read is sent once more, to another replica", async () => {
    let arrivals = 0;
    const breaking = http2.createServer().on("stream", (stream) => {
      arrivals++;
      stream.session?.destroy();
    });
    await new Promise<void>((resolve) => breaking.listen(0, "127.0.0.1", resolve));
    stops.push(() => new Promise((resolve) => breaking.close(resolve)));
    const broken = `http://127.0.0.1:${(breaking.address() as net.AddressInfo).port}`;
    const { url } = await serving(() => {});

    const writer = clientTo(broken);
    const error = await writer.resolve({ ...read(), token: 1n }).catch((caught) => caught);
    expect(failureIn(error)).toBeUndefined();
    expect(arrivals).toBe(1);

    const reader = clientTo(`${broken},${url}`);
    expect(await reader.read(read())).toEqual(empty());
    expect(await reader.read(read())).toEqual(empty());
    expect(arrivals).toBeGreaterThan(1);
  });

  test("finds a replica that comes back on the same address", async () => {
    const first = await serving(() => {});
    const client = clientTo(first.url);
    await client.read(read());
    await first.stop();
    await expect(client.read(read())).rejects.toBeDefined();
    await serving(() => {}, first.port);
    await eventually(async () => expect(await client.read(read())).toEqual(empty()));
  });
});
