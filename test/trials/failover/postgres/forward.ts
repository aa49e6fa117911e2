import { connect, createServer, type Server, type Socket } from "node:net";

/** Forwards connections at a free port to the port that `target` returns at the time, as the `-rw` Service of an operator does. */
export async function forward(target: () => number | undefined): Promise<Server> {
  const server = createServer((client) => {
    const port = target();
    if (port === undefined) return void client.destroy();
    const upstream = connect({ host: "127.0.0.1", port, noDelay: true });
    client.setNoDelay(true);
    join(client, upstream);
    join(upstream, client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

/** Forwards one side's data to the other, and ends the other with it. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}
