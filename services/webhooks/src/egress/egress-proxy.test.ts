import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { withStatus } from "../testing/receiver.js";
import { certificate, privateKey } from "../testing/receiver-certificate.js";
import { describeEnd, sendingUnderTest } from "../testing/sending.js";

const closed = { allowPrivate: false, allowTargets: [], denyRanges: [] };
const { connectionsWith, receiverWith, rawReceiver, post, end, atEnd } = sendingUnderTest();
afterAll(end);

interface Asked {
  target: string | undefined;
  authorization: string | undefined;
}

/** Starts a proxy on loopback that connects to port `to` of this machine, or gives the answers of `refusals` first. */
async function proxyWith({ to = 0, refusals = [], tls = false }: { to?: number; refusals?: number[]; tls?: boolean }) {
  const asked: Asked[] = [];
  const sockets = new Set<net.Socket>();
  const server = tls ? https.createServer({ key: privateKey, cert: certificate }) : http.createServer();
  server.on("connect", ({ url, headers }: http.IncomingMessage, client: net.Socket) => {
    asked.push({ target: url, authorization: headers["proxy-authorization"] });
    const refusal = refusals.shift();
    if (refusal) return void client.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`);
    const onward = net.connect(to, "127.0.0.1", () => client.write("HTTP/1.1 200 Connection established\r\n\r\n"));
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    client.pipe(onward).pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  return { asked, host: `localhost:${port}` };
}

/** Opens connections through a proxy, for a name with these addresses. */
const throughProxy = (host: string, ...addresses: string[]) =>
  connectionsWith({ rules: closed, resolve: async () => addresses, proxyUrl: `http://${host}` });

describe("with EGRESS_PROXY_URL, a delivery", () => {
  test("goes through the proxy to the vetted IP address, and keeps its name for SNI and the certificate", async () => {
    const receiver = await receiverWith(withStatus(204), { tls: true });
    const proxy = await proxyWith({ to: receiver.port });
    const through = throughProxy(`user:p%40ss@${proxy.host}`, "93.184.216.34");
    expect(await describeEnd(post("https://localhost.example.com/", through))).toBe("tls_wrong_name");
    const trial = connectionsWith({ proxyUrl: `http://${proxy.host}` });
    expect(await describeEnd(post(receiver.url, trial))).toBe("delivered 204");
    expect(await describeEnd(post(receiver.url, trial))).toBe("delivered 204");
    const authorization = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
    const [first, ...others] = proxy.asked;
    expect(first).toEqual({ target: "93.184.216.34:443", authorization });
    const own = { target: `127.0.0.1:${receiver.port}`, authorization: undefined };
    expect(others).toEqual(others.map(() => own));
    expect(receiver.received.map(({ headers }) => headers.host)).toEqual(Array(2).fill(`localhost:${receiver.port}`));
  });

  test("goes over TLS to a proxy with TLS, and without TLS to a receiver of a trial", async () => {
    const receiver = await receiverWith(withStatus(204));
    const proxy = await proxyWith({ to: receiver.port, tls: true });
    const through = connectionsWith({ proxyUrl: `https://${proxy.host}` });
    expect(await describeEnd(post(receiver.url, through))).toBe("delivered 204");
    expect(proxy.asked).toHaveLength(1);
  });

  test("is refused before the proxy hears of it if one address of the name is not public", async () => {
    const proxy = await proxyWith({});
    const through = throughProxy(proxy.host, "93.184.216.34", "127.0.0.1");
    expect(await describeEnd(post("https://a.example/", through))).toBe("address_refused");
    expect(proxy.asked).toEqual([]);
  });

  test("goes to the next IP address if the proxy cannot connect to the first", async () => {
    const proxy = await proxyWith({ refusals: [503, 504, 502, 503] });
    const through = throughProxy(proxy.host, "93.184.216.34", "2606:4700:4700::1111");
    expect(await describeEnd(post("https://a.example/", through))).toBe("timeout_connecting");
    expect(proxy.asked.map(({ target }) => target)).toEqual(["93.184.216.34:443", "[2606:4700:4700::1111]:443"]);
    expect(await describeEnd(post("https://a.example/", through))).toBe("connection_unreachable");
  });

  test.each([403, 407])("is not the receiver's failure if the proxy answers %d", async (status) => {
    const proxy = await proxyWith({ refusals: [status] });
    const through = throughProxy(proxy.host, "93.184.216.34", "93.184.216.35");
    expect(await describeEnd(post("https://a.example/", through))).toBe("proxy_failed");
    expect(proxy.asked).toHaveLength(1);
  });

  test("is not the receiver's failure if the proxy's port is closed", async () => {
    expect(await describeEnd(post("https://a.example/", throughProxy("127.0.0.1:9", "93.184.216.34")))).toBe(
      "proxy_failed",
    );
  });
});

test("bytes of the receiver that arrive with the proxy's answer belong to the tunnel", async () => {
  const proxyUrl = await rawReceiver((socket) => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 ");
    socket.once("data", () => socket.write("204 No Content\r\n\r\n"));
  });
  expect(await describeEnd(post("http://localhost:8080/", connectionsWith({ proxyUrl })))).toBe("delivered 204");
});

test("when the connections are destroyed, attempts end that wait for the proxy", async () => {
  const silent = net.createServer();
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const reached = once(silent, "connection") as Promise<[net.Socket]>;
  const { port } = silent.address() as net.AddressInfo;
  const through = throughProxy(`127.0.0.1:${port}`, "93.184.216.34");
  const attempt = post("https://a.example/", through);
  const [socket] = await reached;
  const ended = once(socket.resume(), "close");
  through.destroy();
  expect(await describeEnd(attempt)).toBe("interrupted");
  await ended;
  silent.close();
});
