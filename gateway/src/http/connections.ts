import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Metrics } from "@shipping/kit/process/metrics";

/** Open connections of a process. Each takes about 20 KB of memory and a file descriptor: 2,000 leave room in the smallest pod (512 MiB). */
export const MAX_CONNECTIONS = 2_000;

/** The connections of a server. */
export interface Connections extends Iterable<[Socket, ServerResponse | undefined]> {
  /** Adds a new connection, and closes another one if there are too many. */
  add(socket: Socket): void;
  /** Notes the request that a connection is busy with. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** The response to a connection's latest request. */
  latest(socket: Socket): ServerResponse | undefined;
  load(): { open: number; closed: number };
}

/** How useful a connection is. */
const [UNUSED, SLOW, IDLE, BUSY] = [0, 1, 2, 3];

/** An open connection. Requests change it in place: a Map that they entered and left would keep each of them until the next full garbage collection. */
interface Connection {
  socket: Socket;
  /** To its latest request. */
  response?: ServerResponse;
  /** When it was opened, or its latest request began or ended, in turns of this server. */
  turn: number;
}

/**
 * Holds at most so many. For a new one, the least useful is closed: a connection that never brought a request, one whose client
 * is slow to send or to read or is being paced, one that waits for its next request; of each kind the oldest. If all are busy, the new one.
 */
export function createConnections(most: number, isHeldBack = (_response: ServerResponse) => false): Connections {
  const open = new Map<Socket, Connection>();
  let turns = 0;
  let closed = 0;

  function close(socket: Socket): void {
    closed++;
    open.delete(socket);
    socket.destroy();
  }

  function rankOf({ response }: Connection): number {
    if (!response) return UNUSED;
    if (response.writableFinished) return IDLE;
    return isSlow(response) || isHeldBack(response) ? SLOW : BUSY;
  }

  function leastUseful(): Socket | undefined {
    let least: Connection | undefined;
    let lowest = BUSY;
    for (const connection of open.values()) {
      const rank = rankOf(connection);
      const isLess = rank < lowest || (rank === lowest && least !== undefined && connection.turn < least.turn);
      if (!isLess) continue;
      least = connection;
      lowest = rank;
    }
    return least?.socket;
  }

  return {
    add(socket) {
      if (open.size >= most) close(leastUseful() ?? socket);
      if (socket.destroyed) return;
      open.set(socket, { socket, turn: ++turns });
      socket.once("close", () => open.delete(socket));
    },
    begin({ socket }, response) {
      const connection = open.get(socket);
      if (!connection) return;
      connection.response = response;
      connection.turn = ++turns;
      response.once("finish", () => {
        if (connection.response === response) connection.turn = ++turns;
      });
    },
    latest: (socket) => open.get(socket)?.response,
    load: () => ({ open: open.size, closed }),
    *[Symbol.iterator]() {
      for (const { socket, response } of open.values())
        yield [socket, response] as [Socket, ServerResponse | undefined];
    },
  };
}

/** Whether a request waits for its client. */
function isSlow({ req, writableEnded }: ServerResponse): boolean {
  return !req.complete || writableEnded;
}

/** Measures the connections of this process. */
export function measureConnections(metrics: Metrics, connections: Connections, most: number): void {
  const help = {
    gateway_connections: "Open connections.",
    gateway_connections_max: "The most connections that may be open. Idle and slow ones are closed to make room.",
    gateway_connections_closed: "Connections closed since the start to make room for others.",
  };
  metrics.gauges(help, () => {
    const { open, closed } = connections.load();
    return { gateway_connections: open, gateway_connections_max: most, gateway_connections_closed: closed };
  });
}
