import type pg from "pg";
import { DatabaseOutage } from "./outage.js";

/** Tells pools which of their connections lead to a server that has failed over. */
export interface Outdated {
  /** Makes a pool close such connections instead of handing them out. */
  watch(pool: pg.Pool): void;
  /** Concludes from a statement's error whether the connections opened so far are still good. */
  judge(error: Error): void;
}

interface Connection {
  /** The round in which the connection was opened or last answered. */
  round: number;
  answers(): Promise<boolean>;
}

const ANSWER_MS = 1_000;

/**
 * After a failover, the open connections of a pool lead to a server that takes no writes or does not respond. Finding out would cost one
 * statement for each connection, so the finding of one applies to all. A server that takes no writes is not a primary. A server that did
 * not answer in time may only be waiting for something, so it is asked again, on another connection, before the others are closed.
 */
export function outdatedConnections(): Outdated {
  const connections = new WeakMap<pg.PoolClient, Connection>();
  let round = 0;
  // Connections of rounds before `doubted` are in doubt; those of rounds before `gone` lead to a server that is gone.
  let doubted = 0;
  let gone = 0;

  async function isUpToDate(connection: Connection): Promise<boolean> {
    if (connection.round < gone) return false;
    if (connection.round >= doubted) return true;
    const asked = doubted;
    if (await connection.answers()) connection.round = asked;
    else gone = Math.max(gone, asked);
    return connection.round >= gone;
  }

  function watch(pool: pg.Pool): void {
    const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    async function connectUpToDate(): Promise<pg.PoolClient> {
      for (;;) {
        const client = await connect();
        const connection = connections.get(client);
        if (!connection || (await isUpToDate(connection))) return client;
        client.release(true);
      }
    }
    pool.on("connect", (client) => {
      const query = client.query.bind(client);
      connections.set(client, { round, answers: () => takesWrites(query) });
    });
    // pg-pool's own `query` passes a callback.
    pool.connect = ((done?: (error: Error | undefined, client?: pg.PoolClient, release?: unknown) => void) => {
      if (!done) return connectUpToDate();
      return void connectUpToDate().then(
        (client) => done(undefined, client, client.release),
        (error) => done(error),
      );
    }) as pg.Pool["connect"];
  }

  return {
    watch,
    judge(error) {
      if (isDemoted(error)) gone = ++round;
      else if (isSilence(error)) doubted = ++round;
    },
  };
}

async function takesWrites(query: pg.PoolClient["query"]): Promise<boolean> {
  const question = { text: "SHOW transaction_read_only", query_timeout: ANSWER_MS };
  return query(question).then(
    ({ rows }) => rows[0]?.transaction_read_only === "off",
    () => false,
  );
}

/** Whether the server said that it takes no writes, which a primary never says. */
export function isDemoted(error: unknown): boolean {
  const answer = error instanceof DatabaseOutage ? error.cause : error;
  return answer instanceof Error && (answer as { code?: string }).code === READ_ONLY;
}

const READ_ONLY = "25006";

// pg's message for an answer that is overdue although the server limits every statement to less.
function isSilence(error: unknown): boolean {
  return error instanceof DatabaseOutage && error.cause.message === "Query read timeout";
}
