import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressFile, moveAddress } from "./address.js";
import { forward } from "./forward.js";

let folder: string;
let address: Server;
const servers: Server[] = [];
const sockets: Socket[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "forward-test-"));
  address = await forward({ port: 0, file: addressFile(folder) });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of [address, ...servers.splice(0)]) server.close();
  await rm(folder, { recursive: true });
});

/** A server that says its name to whoever says something. */
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
  test("leads where the file says when a connection is opened; those that are open stay where they are", async () => {
    const [first, second] = [await named("first"), await named("second")];
    moveAddress(folder, { server: "postgres-1", port: first });
    const before = await open();
    expect(await ask(before)).toBe("first");
    moveAddress(folder, { server: "postgres-2", port: second });
    expect([await ask(await open()), await ask(before)]).toEqual(["second", "first"]);
  });

  test("ends a connection when its server does, when there is none, and when nobody has said where it leads", async () => {
    const nowhere = await open();
    await once(nowhere.resume(), "close");
    moveAddress(folder, { server: "postgres-1", port: await named("mortal") });
    const socket = await open();
    await ask(socket);
    for (const server of servers) server.close();
    for (const one of sockets) if (one !== socket) one.destroy();
    await once(socket.resume(), "close");
    await once((await open()).resume(), "close");
  });
});
