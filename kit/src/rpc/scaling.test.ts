import { type Client, createClient } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { silentLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { ledgerRoutes, readRequest } from "../testing/rpc-testbed.js";
import { connectTo, type ServiceTransport } from "./client.js";
import { type RpcServer, serve } from "./server.js";

const log = silentLog();
const [FIRST, SECOND] = ["127.0.0.1", "127.0.0.2"] as const;

/** The number of calls to each IP address, and the current look-up of the name. */
let calls: Record<string, number>;
let resolve: () => Promise<string[]>;
let servers: RpcServer[];
let transport: ServiceTransport;
let client: Client<typeof LedgerService>;

// Connect's adapter logs an error for each watcher that hangs up, because it does not recognize Node's errors in Jest's realm.
beforeEach(() => void jest.spyOn(console, "error").mockImplementation(() => {}));
beforeEach(async () => {
  calls = { [FIRST]: 0, [SECOND]: 0 };
  resolve = async () => [FIRST];
  const start = (host: string, port: number) => serve({ routes: ledgerRoutes(() => calls[host]!++), host, port, log });
  const first = await start(FIRST, 0);
  servers = [first, await start(SECOND, first.port)];
  transport = connectTo({ urls: `http://records.shipping:${first.port}`, log, resolve: () => resolve() });
  client = createClient(LedgerService, transport);
});
afterEach(async () => {
  await transport.close();
  await Promise.all(servers.map((server) => server.stop(0)));
});

test("a replica whose IP address is added to the name gets its share of the calls within 10 s", async () => {
  await client.read(readRequest());
  resolve = async () => [FIRST, SECOND];
  await eventually(async () => {
    await client.read(readRequest());
    expect(calls[SECOND]).toBeGreaterThan(0);
  });
  const before = { ...calls };
  for (let call = 0; call < 10; call++) await client.read(readRequest());
  expect(calls).toEqual({ [FIRST]: before[FIRST]! + 5, [SECOND]: before[SECOND]! + 5 });
});

test("a replica whose IP address is gone gets no calls within 10 s, and no call fails meanwhile", async () => {
  resolve = async () => [FIRST, SECOND];
  await client.read(readRequest());
  resolve = async () => [SECOND];
  await eventually(async () => {
    const before = calls[FIRST];
    for (let call = 0; call < 4; call++) await client.read(readRequest());
    expect(calls[FIRST]).toBe(before);
  });
});

test("while no known IP address can be reached, a call waits, and then goes to the one that the name resolves to", async () => {
  const lookUps: string[] = [];
  resolve = async () => {
    lookUps.push("again");
    return lookUps.length === 1 ? [FIRST] : [FIRST, SECOND];
  };
  await servers[0]!.stop(0);
  await client.resolve({ ...readRequest(), token: 1n });
  expect(calls).toEqual({ [FIRST]: 0, [SECOND]: 1 });
});
