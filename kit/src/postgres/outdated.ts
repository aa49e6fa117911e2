import type pg from "pg";
import { DatabaseOutage } from "./outage.js";

/** Tells pools which of their connections may lead to a server that has failed over. */
export interface Outdated {
  /** Makes a pool close such connections instead of handing them out. */
  watch(pool: pg.Pool): void;
  /** If a statement's error says that its server is no primary any more, all connections opened so far are outdated. */
  judge(error: Error): void;
}

/**
 * After a failover the open connections of a pool lead to a server that is silent, or that takes no writes. Each would cost one statement
 * to find out, so the first that finds out speaks for all of them.
 */
export function outdatedConnections(): Outdated {
  const rounds = new WeakMap<pg.PoolClient, number>();
  let round = 0;

  function watch(pool: pg.Pool): void {
    const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    async function connectUpToDate(): Promise<pg.PoolClient> {
      for (;;) {
        const client = await connect();
        if (rounds.get(client) === round) return client;
        client.release(true);
      }
    }
    pool.on("connect", (client) => rounds.set(client, round));
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
    judge: (error) => {
      if (isDemoted(error) || isSilence(error)) round++;
    },
  };
}

/** Whether the server said that it takes no writes, which a primary never says. */
export function isDemoted(error: unknown): boolean {
  const answer = error instanceof DatabaseOutage ? error.cause : error;
  return answer instanceof Error && (answer as { code?: string }).code === READ_ONLY;
}

const READ_ONLY = "25006";

// pg's words for an answer that is overdue although the server limits every statement to less.
function isSilence(error: unknown): boolean {
  return error instanceof DatabaseOutage && error.cause.message === "Query read timeout";
}
