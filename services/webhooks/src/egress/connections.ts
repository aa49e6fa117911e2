import type { Socket } from "node:net";
import { type buildConnector, Client } from "undici";

/** Connections to receivers, each for one request at a time. */
export interface Connections {
  /** Takes a connection to an origin: the one used last of those that are idle, or one that is made when its first request is dispatched. */
  take(origin: string): Client;
  /** Keeps a connection for the next request. Its answer must have been read to the end. */
  release(origin: string, connection: Client): void;
  /** Closes a connection and ends its request. */
  drop(connection: Client): void;
  /** Drops every connection. */
  destroy(): void;
  isDestroyed(): boolean;
}

// This is below the 5 s after which many servers close an idle connection: a request on a connection that is being closed is a failed
// attempt.
const IDLE_MS = 4_000;

// An attempt has deadlines of its own.
const TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS };

/**
 * Creates the connections. undici's own pool would connect again after a request that was given up, and search all connections of an origin
 * for an idle one.
 */
export function createConnections(connect: buildConnector.connector): Connections {
  const all = new Set<Client>();
  const idle = new Map<string, Client[]>();
  let destroyed = false;

  const connectForUndici: buildConnector.connector = (target, callback) =>
    connect(target, (...made) => callback(...(made[1] ? [null, withoutInformational(made[1])] : made)));

  function open(origin: string): Client {
    const connection = new Client(origin, { connect: connectForUndici, ...TIMEOUTS });
    all.add(connection);
    // A client that still has a request to send connects again.
    connection.on("disconnect", () => {
      const at = idle.get(origin)?.indexOf(connection) ?? -1;
      if (at < 0) return;
      idle.get(origin)!.splice(at, 1);
      if (idle.get(origin)!.length === 0) idle.delete(origin);
      drop(connection);
    });
    return connection;
  }

  function drop(connection: Client): void {
    all.delete(connection);
    connection.destroy(() => {});
  }

  return {
    take: (origin) => idle.get(origin)?.pop() ?? open(origin),
    release(origin, connection) {
      if (!all.has(connection)) return;
      const others = idle.get(origin);
      if (others) others.push(connection);
      else idle.set(origin, [connection]);
    },
    drop,
    destroy() {
      destroyed = true;
      for (const connection of all) drop(connection);
    },
    isDestroyed: () => destroyed,
  };
}

const INFORMATIONAL = Buffer.from("HTTP/1.1 1");
const MAX_INFORMATIONAL_BYTES = 16_384;

/**
 * Removes 1xx answers from the bytes that a socket reads: a server may send `100 Continue` at any time, and undici (7.30, 8.13) closes the
 * connection. A `101` stays, because the bytes after it are not HTTP.
 */
function withoutInformational(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  let held: Buffer | undefined;
  socket.read = () => {
    for (let next: Buffer | null = read(); next !== null; next = read()) {
      let rest = held ? Buffer.concat([held, next]) : next;
      held = undefined;
      while (beginsInformational(rest)) {
        const end = rest.indexOf("\r\n\r\n");
        if (end < 0) {
          held = rest;
          break;
        }
        rest = rest.subarray(end + 4);
      }
      if (held && held.length <= MAX_INFORMATIONAL_BYTES) continue;
      held = undefined;
      if (rest.length > 0) return rest;
    }
    return null;
  };
  return socket;
}

// This also matches if only a part of the first line has arrived.
function beginsInformational(bytes: Buffer): boolean {
  const compared = Math.min(bytes.length, INFORMATIONAL.length);
  return bytes.compare(INFORMATIONAL, 0, compared, 0, compared) === 0 && bytes.toString("latin1", 10, 12) !== "01";
}
