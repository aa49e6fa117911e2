import { once } from "node:events";
import net from "node:net";
import { usernamePasswordAuthenticator } from "@nats-io/transport-node";
import { createLog, silentLog } from "../process/log.js";
import { Unsupported } from "../process/supported-versions.js";
import { eventually } from "../testing/eventually.js";
import { busConnectionOptions, keepConnected } from "./bus-connection.js";

const natsUrl = new URL(process.env.TEST_NATS_URL ?? "");
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** NATS behind a relay that can hold back all bytes, as a hanging server would. */
async function natsBehindRelay() {
  const sockets: net.Socket[] = [];
  const relay = net.createServer((near) => {
    const far = net.connect(Number(natsUrl.port), natsUrl.hostname);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
  });
  await once(relay.listen(0, "127.0.0.1"), "listening");
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  const hold = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { url: `nats://127.0.0.1:${(relay.address() as net.AddressInfo).port}`, hold };
}

/** The part of a NATS server that a connection needs to start. The next connections are handled as `plan` says, and later ones are accepted. */
async function fakeNats(version = "2.12.0") {
  const plan: ("cut" | "refuse")[] = [];
  const sockets: net.Socket[] = [];
  let told = "";
  const server = net.createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    const how = plan.shift();
    if (how === "cut") return void socket.destroy();
    const info = { server_id: "a", version, proto: 1, max_payload: 1_000_000, headers: true };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on("data", (data) => {
      told += data;
      if (how === "refuse") socket.end("-ERR 'Authorization Violation'\r\n");
      else for (const _ of String(data).matchAll(/^PING/gm)) socket.write("PONG\r\n");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `nats://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return { url, plan, sockets, told: () => told };
}

describe("keepConnected", () => {
  test("tries again, however often the login is refused or the server is down; until then there is no connection", async () => {
    const { url, plan, sockets } = await fakeNats();
    plan.push("refuse");
    const begun = performance.now();
    const connection = keepConnected({ url, name: "test", log: silentLog() });
    ends.unshift(() => connection.close());
    expect(connection.isConnected()).toBe(false);
    const nc = await connection.first;
    expect(performance.now() - begun).toBeGreaterThan(900);
    expect(connection.connection()).toBe(nc);
    plan.push("refuse", "cut", "refuse", "cut");
    sockets.at(-1)?.destroy();
    await eventually(() => expect(connection.isConnected()).toBe(false));
    await eventually(() => expect(connection.connection()).toBe(nc));
    expect(plan).toEqual([]);
    await connection.close();
    expect(connection.isConnected()).toBe(false);
  });

  test("says who it is, has its answers sent where no other part listens, and logs what NATS refuses", async () => {
    const { url, sockets, told } = await fakeNats();
    const lines: { msg: string; reason?: string }[] = [];
    const log = createLog({ part: "test", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
    const identity = { authenticator: usernamePasswordAuthenticator("records_user", "p") };
    const connection = keepConnected({ url: `nats://127.0.0.1:1, ${url}`, name: "records", log, identity });
    ends.unshift(() => connection.close());
    const nc = await connection.first;
    nc?.request("some.subject").catch(() => {});
    await nc?.flush();
    const [, login = ""] = /^CONNECT (.*)\r$/m.exec(told()) ?? [];
    expect(JSON.parse(login)).toMatchObject({ name: "records", user: "records_user", pass: "p" });
    expect(told()).toMatch(/^SUB _INBOX\.records\./m);
    sockets.at(-1)?.write(`-ERR 'Permissions Violation for Publish to "some.subject"'\r\n`);
    const reason = expect.stringContaining("some.subject");
    await eventually(() =>
      expect(lines).toContainEqual(expect.objectContaining({ msg: "refused by the bus", reason })),
    );
  });

  test("refuses a server that is too old, with the reason", async () => {
    const { url, sockets } = await fakeNats("2.8.4");
    const refusals: unknown[] = [];
    const refused = (error: unknown) => void refusals.push(error);
    const connection = keepConnected({ url, name: "test", log: silentLog(), refused });
    expect(await connection.first).toBeUndefined();
    expect(refusals).toEqual([expect.any(Unsupported)]);
    expect(connection.isConnected()).toBe(false);
    await eventually(() => expect(sockets.map(({ readableEnded }) => readableEnded)).toEqual([true]));
  });

  test("does not wait for a silent server", async () => {
    const { url, hold } = await natsBehindRelay();
    const connection = keepConnected({ url, name: "test", log: silentLog() });
    const nc = await connection.first;
    // Draining waits for the server's answer to each subscription.
    nc?.subscribe("some.subject");
    await nc?.flush();
    hold();
    const begun = performance.now();
    await connection.close();
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(nc?.isClosed()).toBe(true);
  });

  test("flushes pending data before it closes, if the server answers", async () => {
    const { url } = await natsBehindRelay();
    const [sender, receiver] = [0, 1].map(() => keepConnected({ url, name: "test", log: silentLog() }));
    ends.unshift(() => receiver?.close());
    const received = (await receiver?.first)?.subscribe("some.other.subject", { max: 100 });
    await receiver?.connection().flush();
    const nc = await sender?.first;
    for (let message = 0; message < 100; message++) nc?.publish("some.other.subject", "x".repeat(10_000));
    await sender?.close();
    let count = 0;
    for await (const _ of received ?? []) count++;
    expect(count).toBe(100);
  });
});

test("a part's connection has the URL, names and identity of its settings, and its process ends if NATS is too old", () => {
  const log = silentLog();
  const login = { NATS_USER: "records", NATS_PASSWORD: "p", NATS_ANONYMOUS_TRUSTS_NETWORK: false };
  const config = { NATS_URL: "nats://a:4222", BUS_PREFIX: "blue", NODE_ENV: "production", ...login };
  const { identity, refused, ...others } = busConnectionOptions(config, { name: "records", log });
  expect(others).toEqual({
    url: "nats://a:4222",
    name: "records",
    log,
    names: { stream: "blue_EVENTS", subject: "blue.events" },
  });
  expect(identity?.authenticator?.()).toEqual({ user: "records", pass: "p" });
  const exit = jest.spyOn(process, "exit").mockReturnValue(undefined as never);
  refused?.(new Unsupported("nats-server 2.8.4 is too old."));
  expect(exit).toHaveBeenCalledWith(1);
  exit.mockRestore();
});
