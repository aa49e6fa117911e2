import { once } from "node:events";
import net from "node:net";
import { silentLog } from "../process/log.js";
import { keepConnected } from "./bus-connection.js";

const natsUrl = new URL(process.env.TEST_NATS_URL ?? "");
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** NATS behind a relay that can hold back everything, as a server that hangs would. */
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

describe("keepConnected", () => {
  test("does not wait for a server that says nothing", async () => {
    const { url, hold } = await natsBehindRelay();
    const connection = keepConnected({ url, name: "test", log: silentLog() });
    const nc = await connection.first;
    // Draining waits for the server's word on each subscription.
    nc?.subscribe("some.subject");
    await nc?.flush();
    hold();
    const begun = performance.now();
    await connection.close();
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(nc?.isClosed()).toBe(true);
  });

  test("sends what it has before it closes, to a server that answers", async () => {
    const { url } = await natsBehindRelay();
    const [sender, receiver] = [0, 1].map(() => keepConnected({ url, name: "test", log: silentLog() }));
    ends.unshift(() => receiver?.close());
    const received = (await receiver?.first)?.subscribe("some.other.subject", { max: 100 });
    await receiver?.current()?.flush();
    const nc = await sender?.first;
    for (let message = 0; message < 100; message++) nc?.publish("some.other.subject", "x".repeat(10_000));
    await sender?.close();
    let count = 0;
    for await (const _ of received ?? []) count++;
    expect(count).toBe(100);
  });
});
