import { setTimeout as sleep } from "node:timers/promises";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Log } from "../process/log.js";
import { configured, endFor, toReason } from "../process/run-process.js";
import { requireVersion } from "../process/supported-versions.js";
import { BusOutage } from "./bus.js";
import { type BusIdentity, type BusIdentitySettings, toBusIdentity } from "./bus-identity.js";
import { type BusNames, busNames } from "./bus-names.js";

/** The timeout for answers from NATS. */
export const BUS_TIMEOUT_MS = 3_000;
const RETRY_MS = 250;
const DRAIN_MS = 1_000;

// A refused login may be temporary, like any other failure. Pings detect a peer that has vanished within 15 s; by default, that takes six minutes.
const CONNECTION_OPTIONS = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: RETRY_MS,
  ignoreAuthErrorAbort: true,
  pingInterval: 5_000,
  maxPingOut: 2,
  // Without this, the client creates an error with its stack in advance for each publication.
  noAsyncTraces: true,
};

export interface BusConnectionOptions {
  url: string;
  /** The part's name, which NATS shows to its operators. */
  name: string;
  log: Log;
  /** The names of the stream and the subjects. The default names are used if there are none. */
  names?: BusNames;
  /** Without an identity, the connection is anonymous. */
  identity?: BusIdentity;
  /** Called with the error if the first server that answers is too old. No connection is made then. */
  refused?: (error: unknown) => void;
}

/** Returns the connection options of a part's process, from its settings. The process ends if NATS is too old. */
export function busConnectionOptions(
  config: BusIdentitySettings & { NATS_URL: string; BUS_PREFIX?: string | undefined },
  { name, log }: Pick<BusConnectionOptions, "name" | "log">,
): BusConnectionOptions {
  const identity = configured(() => toBusIdentity(config));
  const names = busNames(config.BUS_PREFIX);
  return { url: config.NATS_URL, name, log, names, identity, refused: (err) => endFor(err, log) };
}

/** The connection of a process to NATS. */
export type BusLink = ReturnType<typeof keepConnected>;

/** Connects to the first server that answers, in the background, and stays connected. */
export function keepConnected({ url, name, log, identity, refused }: BusConnectionOptions) {
  let connection: NatsConnection | undefined;
  let linked = false;
  let closed = false;

  async function connectOnce(): Promise<NatsConnection> {
    const servers = url.split(",");
    // Answers arrive under a subject of this part, to which no other part may listen.
    const own = { name, inboxPrefix: `_INBOX.${name}` };
    const made = await connect({ servers, ...own, ...identity, timeout: BUS_TIMEOUT_MS, ...CONNECTION_OPTIONS });
    const version = made.info?.version ?? "";
    try {
      requireVersion("nats-server", version);
    } catch (error) {
      await made.close();
      closed = true;
      refused?.(error);
      throw error;
    }
    log.info({ server: made.getServer(), nats_server: version }, "bus connected");
    return made;
  }

  // This loop exists because the client's own first attempt to connect cannot be cancelled.
  async function connectWithRetries(): Promise<NatsConnection | undefined> {
    while (!closed) {
      try {
        connection = await connectOnce();
        linked = true;
        void watch(connection);
        return connection;
      } catch (err) {
        log.info({ reason: toReason(err, "NATS") }, "waiting for the bus");
        if (!closed) await sleep(1_000);
      }
    }
    return undefined;
  }

  // While the client has no server, `getServer` still returns the last one.
  async function watch(nc: NatsConnection): Promise<void> {
    for await (const status of nc.status()) {
      if (status.type === "error") log.warn({ reason: status.error.message }, "refused by the bus");
      if (status.type !== "disconnect" && status.type !== "reconnect") continue;
      linked = status.type === "reconnect";
      log.warn({ server: nc.getServer() }, linked ? "bus reconnected" : "bus disconnected");
    }
    linked = false;
  }

  const first = connectWithRetries();
  return {
    /** Resolves with the first connection, or with undefined if it was closed before there was one. */
    first,
    isConnected: () => linked,
    isClosed: () => closed,
    /** Returns the connection, which is always the same one. Throws a `BusOutage` while there is none. */
    connection(): NatsConnection {
      if (!linked || !connection) throw new BusOutage("The bus is not connected.");
      return connection;
    },
    /** Closes the connection once pending work is done. */
    async close(): Promise<void> {
      closed = true;
      await first;
      if (connection) await drainBriefly(connection);
    },
  };
}

// Draining waits for the server's answer, whose absence would be noticed only after 15 s. It is safe to skip: events that NATS did not confirm stay
// in the outbox, and a message whose acknowledgement did not arrive is delivered again.
async function drainBriefly(connection: NatsConnection): Promise<void> {
  await Promise.race([connection.drain().catch(() => {}), sleep(DRAIN_MS, undefined, { ref: false })]);
  await connection.close();
}
