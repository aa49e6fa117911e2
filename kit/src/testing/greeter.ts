import { createServer, type Socket } from "node:net";

/** Starts a foreign server on loopback that greets every client, answers a NATS client's PING, and records its input in `received`. */
export async function greeter(
  greeting: string,
  received: string[] = [],
): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.write(greeting);
    socket.on("data", (bytes) => {
      received.push(String(bytes));
      if (bytes.includes("PING")) socket.write("PONG\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `nats://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
