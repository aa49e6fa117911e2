import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import type { Connections } from "./connections.js";

/** When a stopping server closes idle connections, those with an incomplete request, and all. */
const STOP_MS = { idle: 2_000, incomplete: 5_000, all: 13_000 };
const FAST_STOP_MS = { idle: 0, incomplete: 1_000, all: 3_000 };

/** Accepts no more connections, and closes the open ones: the idle ones first, then those whose request does not arrive, then all. */
export async function closeConnections(server: Server, connections: Connections, fast: boolean): Promise<void> {
  function closeIdle(): void {
    server.closeIdleConnections();
    // Node regards a connection as busy until its first byte has arrived.
    for (const [socket] of connections) if (socket.bytesRead === 0) socket.destroy();
  }

  function closeIncomplete(): void {
    for (const [socket, response] of connections) {
      if (!response?.req.complete || response.writableFinished) socket.destroy();
    }
  }

  const limits = fast ? FAST_STOP_MS : STOP_MS;
  const timers = [
    // Timers alone would run before requests that have already arrived. With `setImmediate`, a busy process reads them first.
    setTimeout(() => setImmediate(closeIdle), limits.idle),
    setTimeout(closeIncomplete, limits.incomplete),
    setTimeout(() => server.closeAllConnections(), limits.all),
  ];
  // Stops accepting connections. http.Server's own `close` would also close idle ones at once, while requests may be in transit.
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  for (const timer of timers) clearTimeout(timer);
  server.close();
}
