import { once } from "node:events";
import net from "node:net";
import type { TLSSocket } from "node:tls";
import { withStatus } from "../testing/receiver.js";
import { describeEnd, sendingUnderTest } from "../testing/sending.js";
import { createGuardedConnections } from "./guarded-connections.js";

const closed = { allowPrivate: false, allowTargets: [], denyRanges: [] };
const { connectionsWith, receiverWith, post, end } = sendingUnderTest();
afterAll(end);

describe("over TLS", () => {
  test("a resolved name is connected to at the vetted IP address, under its own name", async () => {
    const receiver = await receiverWith(withStatus(204), { tls: true });
    const target = `receiver.example.com:${receiver.port}`;
    const through = connectionsWith({
      rules: { ...closed, allowTargets: [target] },
      resolve: async () => ["127.0.0.1"],
    });
    expect(await describeEnd(post(`https://${target}/`, through))).toBe("delivered 204");
    expect(receiver.received[0]?.headers.host).toBe(target);
  });

  test("a certificate of an authority that is not among the well-known ones is refused", async () => {
    const receiver = await receiverWith(withStatus(204), { tls: true });
    const wellKnown = createGuardedConnections({ rules: { ...closed, allowPrivate: true }, resolve: async () => [] });
    expect(await describeEnd(post(receiver.url, wellKnown))).toBe("tls_self_signed");
    expect(receiver.received).toHaveLength(0);
  });
});

test("the next connection to a receiver resumes its TLS session", async () => {
  const resumed: boolean[] = [];
  const receiver = await receiverWith(
    (response) => {
      resumed.push((response.socket as TLSSocket).isSessionReused());
      response.writeHead(204, { connection: "close" }).end();
    },
    { tls: true },
  );
  const through = connectionsWith();
  for (let n = 0; n < 2; n++) await (await post(receiver.url, through)).discarded;
  expect(resumed).toEqual([false, true]);
});

test("if Node is configured to try a single IP address, it tries the first vetted one", async () => {
  const receiver = await receiverWith(withStatus(204));
  const usual = net.getDefaultAutoSelectFamily();
  net.setDefaultAutoSelectFamily(false);
  expect(await describeEnd(post(receiver.url, connectionsWith()))).toBe("delivered 204");
  net.setDefaultAutoSelectFamily(usual);
});

test("when they are destroyed, attempts end that still resolve the name, or wait for the TLS handshake", async () => {
  const silent = net.createServer();
  const reached = once(silent, "connection") as Promise<[net.Socket]>;
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const slowNames = connectionsWith({ resolve: () => new Promise(() => {}) });
  const through = connectionsWith();
  const attempts = [
    post("https://slow.example/", slowNames),
    post(`https://localhost:${(silent.address() as net.AddressInfo).port}/`, through),
  ];
  const [socket] = await reached;
  const closed = once(socket.resume(), "close");
  slowNames.destroy();
  through.destroy();
  expect(await Promise.all(attempts.map(describeEnd))).toEqual(["interrupted", "interrupted"]);
  await closed;
  silent.close();
});

describe("the egress guard", () => {
  const { connect: connectAnywhere } = net.Socket.prototype;
  const connect = jest.spyOn(net.Socket.prototype, "connect");
  beforeEach(() => connect.mockClear());
  afterAll(() => connect.mockRestore());

  test.each([
    ["private", ["10.1.2.3"]],
    ["mixed", ["93.184.216.34", "127.0.0.1"]],
  ])("a name with %s addresses: no connection is attempted", async (_kind, addresses) => {
    const through = connectionsWith({ rules: closed, resolve: async () => addresses });
    expect(await describeEnd(post("https://a.example/", through))).toBe("address_refused");
    expect(connect).not.toHaveBeenCalled();
  });

  test.each(["https://127.0.0.1/", "https://[::1]/", "https://0x7f.1/"])(
    "the literal %s: no connection is attempted",
    async (url) => {
      const through = connectionsWith({ rules: closed, resolve: async () => ["93.184.216.34"] });
      expect(await describeEnd(post(url, through))).toBe("address_refused");
      expect(connect).not.toHaveBeenCalled();
    },
  );

  test("a name is resolved once per connection, and each connection vets it anew", async () => {
    const receiver = await receiverWith((response) => response.writeHead(204, { connection: "close" }).end());
    const looked: string[] = [];
    const target = `rebinding.example:${receiver.port}`;
    const allowed = { ...closed, allowTargets: [target] };
    const answersInTurn = async (host: string) => {
      looked.push(host);
      return looked.length === 1 ? ["127.0.0.1"] : [];
    };
    const through = connectionsWith({ rules: allowed, resolve: answersInTurn });
    expect(await describeEnd(post(`http://${target}/`, through))).toBe("delivered 204");
    expect(looked).toEqual(["rebinding.example"]);
    expect(await describeEnd(post(`http://${target}/`, through))).toBe("name_not_found");
  });

  test("a connection that ends at another IP address than the vetted one carries no request", async () => {
    const receiver = await receiverWith(withStatus(204));
    connect.mockImplementationOnce(function (this: net.Socket) {
      return Reflect.apply(connectAnywhere, this, [receiver.port, "127.0.0.1"]);
    });
    const through = connectionsWith({ rules: closed, resolve: async () => ["93.184.216.34"] });
    expect(await describeEnd(post("http://a.example/", through))).toBe("address_refused");
    expect(receiver.received).toEqual([]);
  });

  test("a name that is public when it is first resolved and then loopback: connected to the vetted IP address, refused at the next connection", async () => {
    const answers = [["93.184.216.34"], ["127.0.0.1"]];
    const through = connectionsWith({ rules: closed, resolve: async () => answers.shift() ?? [] });
    const known: unknown[] = [];
    connect.mockImplementationOnce(function (this: net.Socket, ...given: unknown[]) {
      const [[{ lookup }]] = given as [[net.TcpNetConnectOpts]];
      lookup?.("a.example", { all: true }, (_error, addresses) => known.push(addresses));
      return this.destroy(new Error("No test leaves this machine."));
    });
    expect(await describeEnd(post("http://a.example/", through))).toBe("connection_failed");
    expect([known, answers]).toEqual([[[{ address: "93.184.216.34", family: 4 }]], [["127.0.0.1"]]]);
    expect(await describeEnd(post("http://a.example/", through))).toBe("address_refused");
    expect(connect).toHaveBeenCalledTimes(1);
  });
});
