import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Metrics } from "../../process/metrics.js";

/** The most open connections of a process. Each takes about 20 KB of memory and a file descriptor: 2,000 leave room in the smallest pod (512 MiB). */
export const MAX_CONNECTIONS = 2_000;

export type Connections = ReturnType<typeof createConnections>;

/** The ranks of connections, from least to most useful. */
const [UNUSED, SLOW, IDLE, BUSY] = [0, 1, 2, 3];

/** An open connection. Requests update it in place: entries added to a Map and deleted again would survive until the next major garbage collection. */
interface Connection {
  socket: Socket;
  response?: ServerResponse;
  /** Pipelined responses that began while an earlier one of the connection was not finished. */
  pipelined: Set<ServerResponse>;
  /** Orders connections by their last change: opened, or its latest request began or ended. */
  changed: number;
}

/**
 * Allows at most `max` connections. To make room, it closes one without any request so far, or else one whose client is slow or being delayed, or
 * else an idle one. Within each kind, it closes the one that has been unchanged for longest. If all are busy, it closes the new one.
 */
export function createConnections(max: number, isDelayed = (_response: ServerResponse) => false) {
  const open = new Map<Socket, Connection>();
  let changes = 0;
  let closed = 0;

  function getRank({ response }: Connection): number {
    if (!response) return UNUSED;
    if (response.writableFinished) return IDLE;
    // The client has not sent its whole request, or has not read the whole response.
    const isSlow = !response.req.complete || response.writableEnded;
    return isSlow || isDelayed(response) ? SLOW : BUSY;
  }

  function leastUseful(): Socket | undefined {
    let least: Connection | undefined;
    let lowest = BUSY;
    for (const connection of open.values()) {
      const rank = getRank(connection);
      const isLess = rank < lowest || (rank === lowest && least !== undefined && connection.changed < least.changed);
      if (!isLess) continue;
      least = connection;
      lowest = rank;
    }
    return least?.socket;
  }

  return {
    /** Adds a new connection. If there are too many, closes the least useful one. */
    add(socket: Socket): void {
      if (open.size >= max) {
        closed++;
        const closing = leastUseful() ?? socket;
        open.delete(closing);
        closing.destroy();
      }
      if (socket.destroyed) return;
      const connection: Connection = { socket, changed: ++changes, pipelined: new Set() };
      open.set(socket, connection);
      socket.once("close", () => {
        open.delete(socket);
        closeAll(connection.pipelined);
      });
    },
    /** Records that a connection has a new request. */
    begin({ socket }: IncomingMessage, response: ServerResponse): void {
      const connection = open.get(socket);
      if (!connection) return;
      if (connection.response && !connection.response.writableFinished) {
        connection.pipelined.add(response);
        response.once("close", () => connection.pipelined.delete(response));
      }
      connection.response = response;
      connection.changed = ++changes;
      response.once("finish", () => {
        if (connection.response === response) connection.changed = ++changes;
      });
    },
    /** The response to a connection's latest request. */
    latest: (socket: Socket) => open.get(socket)?.response,
    load: () => ({ open: open.size, closed }),
    *[Symbol.iterator]() {
      for (const { socket, response } of open.values()) yield [socket, response] as const;
    },
  };
}

/** Node closes only the current response of a connection. Without this event, responses queued behind it would never end for their handlers. */
function closeAll(pipelined: ReadonlySet<ServerResponse>): void {
  for (const response of pipelined) {
    if (!response.socket) response.emit("close");
  }
}

export function measureConnections(metrics: Metrics, connections: Connections, max: number): void {
  const help = {
    http_connections: "Open connections.",
    http_connections_max: "The most connections that may be open. Idle and slow ones are closed to make room.",
    http_connections_closed: "Connections closed since the start to make room for others.",
  };
  metrics.gauges(help, () => {
    const { open, closed } = connections.load();
    return { http_connections: open, http_connections_max: max, http_connections_closed: closed };
  });
}
