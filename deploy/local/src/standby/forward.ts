import { connect, createServer, type Server, type Socket } from "node:net";
import { readTarget } from "./address.js";

/** What the process that does it says once it does. */
export const FORWARDING = "forwarding connections";

/** Passes connections to `port` on to the server that `file` names at the time, as the `-rw` Service of an operator does. */
export async function forward(options: { port: number; file: string }): Promise<Server> {
  const server = createServer((client) => {
    const target = readTarget(options.file);
    if (!target) return void client.destroy();
    const upstream = connect({ host: "127.0.0.1", port: target.port, noDelay: true });
    client.setNoDelay(true);
    join(client, upstream);
    join(upstream, client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  return server;
}

/** What one side says, the other hears; and when one side ends, so does the other. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}
