import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { createEgressAgents, type EgressAgents } from "./egress-agents.js";
import type { EgressRules } from "./egress-guard.js";
import { type Attempted, send } from "./send.js";
import { verify } from "./signature.js";
import { type Answer, type Receiver, startReceiver, withStatus } from "./testing/receiver.js";
import { certificate } from "./testing/receiver-certificate.js";

const rules: EgressRules = { allowPrivate: true, allowTargets: [], denyRanges: [] };
const resolve = async (): Promise<string[]> => [];
const body = Buffer.from('{"id":"evt_1","data":{"name":"Jürgen"}}');
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

function agentsWith(options: Partial<Parameters<typeof createEgressAgents>[0]> = {}): EgressAgents {
  const agents = createEgressAgents({ rules, resolve, ca: certificate, ...options });
  ends.push(() => agents.destroy());
  return agents;
}

async function receiverWith(answer?: Answer, options?: { tls: boolean }): Promise<Receiver> {
  const receiver = await startReceiver(answer, options);
  ends.push(() => receiver.close());
  return receiver;
}

/** A server that writes these bytes for each request, whatever HTTP says. */
async function rawReceiver(onData: (socket: net.Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => onData(socket));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const agents = agentsWith();
function post(url: string, through: EgressAgents = agents): Promise<Attempted> {
  return send(through, { url, eventId: "evt_1", body, secret: "whsec_test", at: new Date(1_700_000_000_999) });
}
const endOf = async (attempt: Promise<Attempted>) => {
  const { outcome, status, errorKind } = await attempt;
  return errorKind ?? `${outcome} ${status}`;
};

describe("send", () => {
  test("POSTs the stored bytes with event id, signature and content type", async () => {
    const receiver = await receiverWith();
    expect(await endOf(post(receiver.url))).toBe("delivered 204");
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: "POST", path: "/hook?token=private", body });
    expect(request?.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(body.length),
      "service-event-id": "evt_1",
      "service-signature": expect.stringMatching(/^t=1700000000,v1=[0-9a-f]{64}$/),
    });
    expect(verify("whsec_test", String(request?.headers["service-signature"]), body, 1_700_000_000)).toBe(true);
  });

  test("any 2xx is success, everything else a failure", async () => {
    const statuses = [200, 201, 202, 204, 299, 300, 304, 400, 404, 410, 429, 500, 503];
    const receiver = await receiverWith((response, _received, count) => response.writeHead(statuses[count - 1]!).end());
    for (const status of statuses) {
      expect(await endOf(post(receiver.url))).toBe(`${status < 300 ? "delivered" : "failed"} ${status}`);
    }
  });

  test.each([301, 302, 303, 307, 308])("a %d is not followed", async (status) => {
    const target = await receiverWith();
    const receiver = await receiverWith((response) => response.writeHead(status, { location: target.url }).end());
    expect(await endOf(post(receiver.url))).toBe(`failed ${status}`);
    expect(target.received).toHaveLength(0);
  });

  test("1xx answers are passed over", async () => {
    const receiver = await receiverWith((response) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.writeHead(204).end();
    });
    expect(await endOf(post(receiver.url))).toBe("delivered 204");
  });

  test("a switch of protocols, garbage and a reset are failures", async () => {
    const upgrade = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    });
    const garbage = await rawReceiver((socket) => socket.end("SSH-2.0-OpenSSH\r\n"));
    const reset = await rawReceiver((socket) => socket.resetAndDestroy());
    for (const url of [upgrade, garbage, reset]) expect(await endOf(post(url))).toBe("connection");
  });

  test("a refused connection is a failure", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    expect(await endOf(post(receiver.url))).toBe("connection");
  });

  test("a busy moment while connecting is no failure, though the host has a second address that refuses", async () => {
    const receiver = await receiverWith();
    const attempt = endOf(post(receiver.url, agentsWith()));
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const until = performance.now() + 400;
    while (performance.now() < until);
    expect(await attempt).toBe("delivered 204");
  });

  test("a reset of a reused connection is a failure, and not tried again", async () => {
    const receiver = await receiverWith((response, _received, count) => {
      if (count === 1) response.writeHead(204).end();
      else response.socket?.resetAndDestroy();
    });
    const through = agentsWith();
    await (await post(receiver.url, through)).drained;
    expect(await endOf(post(receiver.url, through))).toBe("connection");
    expect([receiver.received.length, receiver.connections()]).toEqual([2, 1]);
  });
});

describe("the ten seconds", () => {
  test("headers that do not come, or drip, are a time-out after 10 s; at 9.5 s they are in time", async () => {
    const hanging = await receiverWith(() => {});
    const late = await receiverWith((response) => void setTimeout(() => response.writeHead(204).end(), 9_500));
    const dripping = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 204 No Content\r\n");
      const drip = setInterval(() => socket.write("a: b\r\n"), 200);
      socket.on("close", () => clearInterval(drip));
    });
    const silent = net.createServer();
    await once(silent.listen(0, "127.0.0.1"), "listening");
    ends.push(() => silent.close());
    const handshake = `https://localhost:${(silent.address() as AddressInfo).port}/`;
    const slowNames = agentsWith({ resolve: () => new Promise(() => {}) });

    const attempts = await Promise.all([
      post(hanging.url),
      post(dripping),
      post(handshake),
      post("https://slow.example/", slowNames),
      post(late.url),
    ]);
    expect(attempts.map(({ errorKind, status }) => errorKind ?? status)).toEqual([
      "timeout",
      "timeout",
      "timeout",
      "timeout",
      204,
    ]);
    for (const { ms } of attempts.slice(0, 4)) expect(ms).toBeGreaterThan(9_900);
  });
});

describe("the rest of the answer", () => {
  test("a body that drips does not delay the outcome, and is cut off", async () => {
    let open = true;
    const receiver = await receiverWith((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("."), 50);
      response.on("close", () => {
        clearInterval(drip);
        open = false;
      });
    });
    const attempted = await post(receiver.url);
    expect([attempted.status, open]).toEqual([200, true]);
    await attempted.drained;
    await eventually(() => expect(open).toBe(false));
  });

  test("of an endless body little is read", async () => {
    let written = 0;
    const chunk = Buffer.alloc(65_536);
    const receiver = await receiverWith((response) => {
      const write = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.writeHead(200).on("drain", write);
      write();
    });
    await (await post(receiver.url)).drained;
    expect(written).toBeLessThan(50_000_000);
  });

  test("a short body is read, so that the connection is used again", async () => {
    const receiver = await receiverWith((response) => response.writeHead(200).end("x".repeat(10_000)));
    const through = agentsWith();
    for (let n = 0; n < 3; n++) await (await post(receiver.url, through)).drained;
    expect(receiver.connections()).toBe(1);
  });
});

describe("over TLS", () => {
  test("the name is kept for SNI and the certificate", async () => {
    const receiver = await receiverWith(withStatus(204), { tls: true });
    expect(await endOf(post(receiver.url))).toBe("delivered 204");
    expect(receiver.received[0]?.headers.host).toBe(`localhost:${receiver.port}`);
  });

  test("a resolved name goes to the vetted address under its own name", async () => {
    const receiver = await receiverWith(withStatus(204), { tls: true });
    const target = `receiver.example.com:${receiver.port}`;
    const through = agentsWith({ rules: { ...rules, allowTargets: [target] }, resolve: async () => ["127.0.0.1"] });
    expect(await endOf(post(`https://${target}/`, through))).toBe("delivered 204");
    expect(receiver.received[0]?.headers.host).toBe(target);
  });

  test("a certificate of another name, or of an unknown authority, is a failure", async () => {
    const receiver = await receiverWith(withStatus(204), { tls: true });
    const target = `other.example.com:${receiver.port}`;
    const through = agentsWith({ rules: { ...rules, allowTargets: [target] }, resolve: async () => ["127.0.0.1"] });
    expect(await endOf(post(`https://${target}/`, through))).toBe("tls");
    const wellKnown = createEgressAgents({ rules, resolve });
    expect(await endOf(post(receiver.url, wellKnown))).toBe("tls");
    expect(receiver.received).toHaveLength(0);
  });
});

describe("the egress guard", () => {
  const connect = jest.spyOn(net.Socket.prototype, "connect");
  beforeEach(() => connect.mockClear());
  afterAll(() => connect.mockRestore());
  const closed = { allowPrivate: false, allowTargets: [], denyRanges: [] };

  test.each([
    ["loopback", ["127.0.0.1"]],
    ["private", ["10.1.2.3"]],
    ["link-local", ["169.254.1.1"]],
    ["carrier-grade NAT", ["100.64.1.1"]],
    ["metadata", ["169.254.169.254"]],
    ["IPv4-mapped", ["::ffff:127.0.0.1"]],
    ["IPv4-compatible", ["::7f00:1"]],
    ["6to4", ["2002:7f00:1::1"]],
    ["NAT64", ["64:ff9b::7f00:1"]],
    ["mixed", ["93.184.216.34", "127.0.0.1"]],
  ])("a name with %s addresses: no connection is attempted", async (_kind, addresses) => {
    const through = agentsWith({ rules: closed, resolve: async () => addresses });
    expect(await endOf(post("https://a.example/", through))).toBe("address_refused");
    expect(connect).not.toHaveBeenCalled();
  });

  test.each([
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://0x7f.1/",
    "https://[::ffff:7f00:1]/",
    "https://10.0.0.1/",
  ])("the literal %s: no connection is attempted", async (url) => {
    const through = agentsWith({ rules: closed, resolve: async () => ["93.184.216.34"] });
    expect(await endOf(post(url, through))).toBe("address_refused");
    expect(connect).not.toHaveBeenCalled();
  });

  test("a name that does not resolve: no connection is attempted", async () => {
    expect(await endOf(post("https://a.example/", agentsWith({ rules: closed })))).toBe("name_not_resolved");
    expect(connect).not.toHaveBeenCalled();
  });

  test("a name is resolved once per connection, and each connection vets it anew", async () => {
    const receiver = await receiverWith((response) => response.writeHead(204, { connection: "close" }).end());
    const looked: string[] = [];
    const target = `rebinding.example:${receiver.port}`;
    const allowed = { ...closed, allowTargets: [target] };
    const answersInTurn = async (host: string) => {
      looked.push(host);
      return looked.length === 1 ? ["127.0.0.1"] : [];
    };
    const through = agentsWith({ rules: allowed, resolve: answersInTurn });
    expect(await endOf(post(`http://${target}/`, through))).toBe("delivered 204");
    expect(looked).toEqual(["rebinding.example"]);
    expect(await endOf(post(`http://${target}/`, through))).toBe("name_not_resolved");
  });

  test("public at first, loopback the second time: the second is refused", async () => {
    const answersOf = [["127.0.0.1", "93.184.216.34"], ["127.0.0.1"]];
    const through = agentsWith({ rules: closed, resolve: async () => answersOf.shift() ?? [] });
    for (let n = 0; n < 2; n++) expect(await endOf(post("https://a.example/", through))).toBe("address_refused");
    expect(connect).not.toHaveBeenCalled();
  });
});
