import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Metrics } from "@shipping/kit/process/metrics";

/** Connections that a process holds unless it is told otherwise. */
export const MOST_CONNECTIONS = 2_000;

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

/**
 * Holds at most so many. For a new one, the least useful is closed: a connection that never brought a request, one whose client
 * is slow to send or to read or is being paced, one that waits for its next request; of each kind the oldest. If all are busy, the new one.
 */
export function createConnections(most: number, isHeldBack = (_response: ServerResponse) => false): Connections {
  const unused = new Set<Socket>();
  const busy = new Map<Socket, ServerResponse>();
  const idle = new Map<Socket, ServerResponse>();
  let closed = 0;

  const count = () => unused.size + busy.size + idle.size;

  function forget(socket: Socket): void {
    unused.delete(socket);
    busy.delete(socket);
    idle.delete(socket);
  }

  function close(socket: Socket): void {
    closed++;
    forget(socket);
    socket.destroy();
  }

  function leastUseful(): Socket | undefined {
    const [silent] = unused;
    if (silent) return silent;
    for (const [socket, response] of busy) if (isSlow(response) || isHeldBack(response)) return socket;
    return idle.keys().next().value;
  }

  return {
    add(socket) {
      if (count() >= most) close(leastUseful() ?? socket);
      if (socket.destroyed) return;
      unused.add(socket);
      socket.once("close", () => forget(socket));
    },
    begin({ socket }, response) {
      forget(socket);
      busy.set(socket, response);
      response.once("finish", () => {
        if (busy.get(socket) !== response) return;
        busy.delete(socket);
        idle.set(socket, response);
      });
    },
    latest: (socket) => busy.get(socket) ?? idle.get(socket),
    load: () => ({ open: count(), closed }),
    *[Symbol.iterator]() {
      for (const socket of unused) yield [socket, undefined] as [Socket, undefined];
      yield* busy;
      yield* idle;
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
