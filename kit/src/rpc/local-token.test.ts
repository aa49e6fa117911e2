import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { Health } from "@shipping/proto/grpc/health/v1/health_pb";
import { BatchService } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { createLog, silentLog } from "../process/log.js";
import { empty, ledgerRoutes, readRequest } from "../testing/rpc-testbed.js";
import { connectTo } from "./client.js";
import { tokenHeader } from "./local-token.js";
import { type RpcServer, serve } from "./server.js";
import { methodPath } from "./unary/protocol.js";

const TOKEN = "the token";
const lines: string[] = [];
const handled: string[] = [];
let server: RpcServer;
beforeAll(async () => {
  const log = createLog({ part: "test", destination: { write: (line) => void lines.push(line) } });
  const routes = ledgerRoutes((key) => handled.push(key));
  server = await serve({ routes, port: 0, host: "127.0.0.1", log, token: TOKEN });
});
beforeEach(() => {
  handled.splice(0);
  lines.splice(0);
});
afterAll(() => server.stop(0));

const url = () => `http://127.0.0.1:${server.port}`;
const unauthenticated = expect.objectContaining({
  code: Code.Unauthenticated,
  message: expect.stringContaining("Send the token in platform.json"),
});

/** Calls a method through our client, alone and in a batch. */
async function call(token?: string) {
  const transport = connectTo({ urls: url(), log: silentLog(), token });
  const client = createClient(LedgerService, transport);
  const ends = await Promise.allSettled([client.read(readRequest()), client.read(readRequest())]);
  await transport.close();
  return ends.map((end) => (end.status === "rejected" ? end.reason : end.value));
}

test("calls with the token are answered, and so is the watch of health that keeps a connection", async () => {
  expect(await call(TOKEN)).toEqual([empty(), empty()]);
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test.each([undefined, "", "the tokem", "the token".repeat(1_000)])(
  "calls with the token %p are refused in one sentence, before their handler",
  async (token) => {
    expect(await call(token)).toEqual([unauthenticated, unauthenticated]);
    expect(handled).toEqual([]);
  },
);

test("so are those of other clients, in JSON and gRPC, in batches, and of health", async () => {
  const options = { baseUrl: url(), httpVersion: "2" as const };
  for (const transport of [
    createConnectTransport({ ...options, useBinaryFormat: false }),
    createGrpcTransport(options),
  ]) {
    await expect(createClient(LedgerService, transport).read(readRequest())).rejects.toEqual(unauthenticated);
    await expect(createClient(Health, transport).check({})).rejects.toEqual(unauthenticated);
    const calls = [{ path: methodPath(LedgerService.method.read) }];
    const { answers } = await createClient(BatchService, transport).call({ calls });
    expect(answers.map(({ status }) => status)).toEqual([401]);
    const headers = tokenHeader(TOKEN);
    expect(await createClient(LedgerService, transport).read(readRequest(), { headers })).toEqual(empty());
  }
});
