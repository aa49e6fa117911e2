import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { forward } from "./forward.js";

let target: number | undefined;
let address: Server;
const servers: Server[] = [];
const sockets: Socket[] = [];
beforeEach(async () => {
  target = undefined;
  address = await forward(() => target);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of [address, ...servers.splice(0)]) server.close();
});

/** A server that sends its name to every client that writes. */
async function named(name: string): Promise<number> {
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.on("data", () => socket.write(name));
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

async function open(): Promise<Socket> {
  const socket = connect((address.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket.on("error", () => {}));
  await once(socket, "connect");
  return socket;
}

async function ask(socket: Socket): Promise<string> {
  socket.write("who?");
  const [said] = await once(socket, "data");
  return String(said);
}

describe("forward", () => {
  test("leads to the target at the time when a connection is opened; open connections stay where they are", async () => {
    const [first, second] = [await named("first"), await named("second")];
    target = first;
    const before = await open();
    expect(await ask(before)).toBe("first");
    target = second;
    expect([await ask(await open()), await ask(before)]).toEqual(["second", "first"]);
  });

  test("ends a connection when its server does, when there is none, and when there is no target", async () => {
    const nowhere = await open();
    await once(nowhere.resume(), "close");
    target = await named("mortal");
    const socket = await open();
    await ask(socket);
    for (const server of servers) server.close();
    for (const one of sockets) if (one !== socket) one.destroy();
    await once(socket.resume(), "close");
    await once((await open()).resume(), "close");
  });
});
