import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@shipping/proto/grpc/health/v1/health_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import pg from "pg";
import { fail, failureIn } from "../errors.js";
import { DatabaseOutage, statementError } from "../postgres/outage.js";
import { silentLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { empty, ledgerRoutes, readRequest as read, rpcTestbed } from "../testing/rpc-testbed.js";
import { inProcess } from "./server.js";

const log = silentLog();
const { serving, clientTo, ends } = rpcTestbed();
afterEach(ends);

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
    for (const client of [clientTo(url), createClient(LedgerService, inProcess(ledgerRoutes(refusal), log))]) {
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
      throw statementError(Object.assign(new pg.DatabaseError("secret detail", 1, "error"), { code: state }));
    };
    const client = createClient(LedgerService, inProcess(ledgerRoutes(broken), log));
    const error = await client.read(read()).catch((caught) => caught);
    expect(failureIn(error)?.code).toBe(code);
    expect(error.message).not.toContain("secret");
  });

  test("a statement that got no connection is a certain service_unavailable", async () => {
    const broken = () => {
      throw new DatabaseOutage(new Error("secret detail"), false);
    };
    const client = createClient(LedgerService, inProcess(ledgerRoutes(broken), log));
    const error = await client.read(read()).catch((caught) => caught);
    expect(failureIn(error)?.code).toBe("service_unavailable");
    expect(error.message).not.toContain("secret");
  });

  test("any other error has an unknown outcome, and its text is not sent", async () => {
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
