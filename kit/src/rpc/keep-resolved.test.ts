import { once } from "node:events";
import net from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Client, Code, createClient } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { failureIn } from "../errors.js";
import { createLog, silentLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { empty, ledgerRoutes, readRequest as read, rpcTestbed } from "../testing/rpc-testbed.js";
import { connectTo } from "./client.js";
import { serve } from "./server.js";

const { serving, onEnd, ends } = rpcTestbed();
const [HERE, THERE] = ["127.0.0.1", "127.0.0.2"] as const;
// Connect's adapter logs an error for each watcher that hangs up, because it does not recognize Node's errors in Jest's realm.
beforeEach(() => void jest.spyOn(console, "error").mockImplementation(() => {}));
afterEach(ends);

/** Creates a client whose hosts are looked up by `resolve`, and collects what it logs about them. */
function clientTo(urls: string, resolve: (host: string) => Promise<string[]>) {
  const lines: { msg: string; host?: string }[] = [];
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const transport = connectTo({ urls, log, resolve });
  onEnd(() => transport.close());
  const client: Client<typeof LedgerService> = createClient(LedgerService, transport);
  const logged = (host: string) => lines.filter((line) => line.host === host).map(({ msg }) => msg);
  return { client, transport, logged };
}

const notFound = (host: string) => Promise.reject(new Error(`getaddrinfo ENOTFOUND ${host}`));
const never = () => new Promise<never>(() => {});

test.each([
  ["that cannot be resolved", notFound],
  ["whose look-up takes long", never],
])("a host %s does not hide the others", async (_what, lookUp) => {
  const { port } = await serving(() => {});
  const { client } = clientTo(`http://other:1,http://records:${port}`, async (host) =>
    host === "other" ? lookUp(host) : [HERE],
  );
  expect(await client.read(read(), { timeoutMs: 5_000 })).toEqual(empty());
});

describe("a name whose IP addresses change", () => {
  /** Starts a replica at each of two IP addresses, and a client of the name that leads to those in `found`. */
  async function twoReplicas(found: string[]) {
    const calls: Record<string, number> = { [HERE]: 0, [THERE]: 0 };
    const start = (host: string, port: number) =>
      serve({ routes: ledgerRoutes(() => calls[host]!++), host, port, log: silentLog() });
    const first = await start(HERE, 0);
    const second = await start(THERE, first.port);
    onEnd(() => Promise.all([first.stop(0), second.stop(0)]));
    let lookUps = 0;
    const resolve = async () => {
      lookUps++;
      return [...found];
    };
    const { client } = clientTo(`http://records.shipping:${first.port}`, resolve);
    return { client, calls, found, first, lookUps: () => lookUps };
  }

  test("leads to a replica that is added within 10 s, and to one that is gone no more, without a failed call", async () => {
    const { client, calls, found } = await twoReplicas([HERE]);
    await client.read(read());
    found.push(THERE);
    await eventually(async () => {
      await client.read(read());
      expect(calls[THERE]).toBeGreaterThan(0);
    });
    const before = { ...calls };
    for (let call = 0; call < 10; call++) await client.read(read());
    expect(calls).toEqual({ [HERE]: before[HERE]! + 5, [THERE]: before[THERE]! + 5 });
    found.shift();
    await eventually(async () => {
      const left = calls[HERE];
      for (let call = 0; call < 4; call++) await client.read(read());
      expect(calls[HERE]).toBe(left);
    });
  });

  test("is looked up again while none of them can be reached, and a call waits for the next", async () => {
    const { client, calls, found, first, lookUps } = await twoReplicas([HERE]);
    await eventually(() => expect(lookUps()).toBe(1));
    found.push(THERE);
    await first.stop(0);
    await client.resolve({ ...read(), token: 1n });
    expect(calls).toEqual({ [HERE]: 0, [THERE]: 1 });
  });
});

test("a host that is no longer found keeps its IP addresses while others change, which is logged once", async () => {
  const counts = [0, 0];
  const servers = await Promise.all([0, 1].map((index) => serving(() => counts[index]!++)));
  let lookUps = 0;
  let found = true;
  const { client, logged } = clientTo(
    servers.map(({ port }, index) => `http://r${index}:${port}`).join(","),
    (host) => {
      if (host === "r1") return Promise.resolve(found ? [] : [HERE]);
      lookUps++;
      return found ? Promise.resolve([HERE]) : notFound(host);
    },
  );
  await client.read(read());
  expect(counts).toEqual([1, 0]);
  expect(logged("r1")).toEqual(["host not found yet"]);
  found = false;
  await eventually(() => expect(lookUps).toBeGreaterThanOrEqual(3));
  await eventually(async () => {
    counts.fill(0);
    for (let call = 0; call < 4; call++) await client.read(read());
    expect(counts).toEqual([2, 2]);
  });
  expect(logged("r0")).toEqual(["host not found; its last addresses are used"]);
  expect(logged("r1")).toEqual(["host not found yet", "host found"]);
  found = true;
  await eventually(() => expect(logged("r0").at(-1)).toBe("host found"));
});

describe("a call that waits for the first look-up", () => {
  test("fails at its deadline, as not sent", async () => {
    const { client } = clientTo("http://slow:1", never);
    const error = await client.read(read(), { timeoutMs: 50 }).catch((error) => error);
    expect(failureIn(error)?.code).toBe("service_unavailable");
  });

  test("ends when it is canceled", async () => {
    const { client } = clientTo("http://slow:1", never);
    const canceling = new AbortController();
    const call = client.read(read(), { signal: canceling.signal });
    await nextTurn();
    canceling.abort();
    await expect(call).rejects.toMatchObject({ code: Code.Canceled });
    await expect(client.read(read(), { signal: canceling.signal })).rejects.toMatchObject({ code: Code.Canceled });
  });

  test("ends when the transport is closed", async () => {
    const { client, transport } = clientTo("http://slow:1", never);
    const call = client.read(read()).catch((error) => error);
    await nextTurn();
    await transport.close();
    expect(failureIn(await call)?.code).toBe("service_unavailable");
  });
});

test("a close does not wait for a look-up, and what is found later is not connected to", async () => {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await once(server.listen(0, HERE), "listening");
  onEnd(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  let finish = (_addresses: string[]) => {};
  const { transport } = clientTo(`http://slow:${port}`, () => new Promise((resolve) => (finish = resolve)));
  await transport.close();
  finish([HERE]);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  // Connections are accepted in the order in which they were made.
  await once(net.connect(port, HERE), "close");
  expect(connections).toBe(1);
});
