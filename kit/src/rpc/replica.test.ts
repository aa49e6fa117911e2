import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { fail, failureIn } from "../errors.js";
import { silentLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { empty, readRequest, rpcTestbed } from "../testing/rpc-testbed.js";
import { openReplica } from "./replica.js";

const { serving, clientTo, onEnd, ends } = rpcTestbed();
afterEach(async () => {
  jest.useRealTimers();
  await ends();
});

test("a call of an operator runs on for its minute, although the replica's health is answered late", async () => {
  const call = new EventTarget();
  const begun = once(call, "begun");
  const { url } = await serving(async () => {
    call.dispatchEvent(new Event("begun"));
    await once(call, "end");
  });
  jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "performance"] });
  const replica = openReplica(url, silentLog());
  onEnd(() => replica.close());
  const answer = createClient(LedgerService, replica as unknown as Transport).read(readRequest());
  // The connection was not read meanwhile, so the health check has not been answered.
  jest.advanceTimersByTime(2_000);
  expect(replica.state()).toBe("unresponsive");
  await begun;
  jest.advanceTimersByTime(55_000);
  call.dispatchEvent(new Event("end"));
  expect(await answer).toEqual(empty());
});

// Judged by their Connect codes alone, these could be lost connections.
test.each(["service_unavailable", "internal_error"] as const)(
  "a read that one replica refuses as %s is sent to no other: a refusal is its outcome",
  async (code) => {
    let asked = 0;
    const refuse = () => {
      asked++;
      throw fail(code);
    };
    const servers = [await serving(refuse), await serving(refuse)];
    const client = clientTo(servers.map(({ url }) => url).join(","));
    const error = await client.read(readRequest()).catch((reason: unknown) => reason);
    expect(failureIn(error)?.code).toBe(code);
    expect(asked).toBe(1);
  },
);

test("calls to a server of HTTP/1.1, such as the public port of a part, fail, and its answers end no process", async () => {
  let asked = 0;
  const server = http.createServer().on("clientError", (_error, socket) => {
    asked++;
    socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onEnd(() => new Promise((resolve) => server.close(resolve)));
  const client = clientTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect(client.read(readRequest(), { timeoutMs: 5_000 })).rejects.toThrow(ConnectError);
  // It is asked again and again whether it is healthy.
  const before = asked;
  await eventually(() => expect(asked).toBeGreaterThan(before + 1));
});
