import pg from "pg";
import type { Log } from "../process/log.js";
import { wrapConnect } from "./outage.js";
import { NoSession } from "./session.js";

/** The time after which a pool that got fewer connections than its maximum tries to open more, if statements wait. */
const FEWER_MS = 10_000;

/**
 * A server, a role or a pooler can have fewer connections left than a pool may open. Statements then wait for one of the open connections,
 * as they do in a full pool; pg-pool (3.14) would fail each statement for which it could not open another one. If no connection is open,
 * they fail.
 */
export function shareConnections(pool: pg.Pool, log: Log): void {
  const { max } = pool.options;
  let open = 0;
  let restoring: NodeJS.Timeout | undefined;
  pool.on("connect", () => void open++);
  pool.on("remove", () => void open--);

  function limitToOpen(err: unknown): void {
    pool.options.max = open;
    if (restoring) return;
    log.warn({ err, open, max }, "no further database connections can be opened; statements share those that are open");
    restoring = setTimeout(() => {
      pool.options.max = max;
      restoring = undefined;
    }, FEWER_MS).unref();
  }

  wrapConnect(pool, async (connect) => {
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        const cannotOpen = isOutOfConnections(error) || (isOverdue(error) && pool.totalCount > open);
        if (!cannotOpen || open === 0) throw error;
        limitToOpen(error);
      }
    }
  });
}

/** Returns true if the limit of the server, of the database or of the role is reached (53300), or that of a pooler's pool. */
function isOutOfConnections(error: unknown): boolean {
  return error instanceof NoSession || (error instanceof pg.DatabaseError && error.code === "53300");
}

// pg-pool reports with this message that a statement has waited too long, here for a connection that was being opened.
function isOverdue(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}
