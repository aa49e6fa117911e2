import pg from "pg";
import type { Log } from "../process/log.js";
import { wrapConnect } from "./outage.js";
import { NoSession } from "./session.js";

/** After this time, a pool that got fewer connections than it may have tries to open more, if statements wait. */
const FEWER_MS = 10_000;

/**
 * A server, a role or a pooler can have fewer connections left than a pool may open. Statements then wait for one of those that are open, as they
 * do in a full pool; pg-pool (3.14) would fail each statement for which it could not open another one. With none open, they fail.
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
        const opensInVain = isOutOfConnections(error) || (isOverdue(error) && pool.totalCount > open);
        if (!opensInVain || open === 0) throw error;
        limitToOpen(error);
      }
    }
  });
}

/** Whether the limit of the server, of the database or of the role is reached (53300), or that of a pooler's pool. */
function isOutOfConnections(error: unknown): boolean {
  return error instanceof NoSession || (error instanceof pg.DatabaseError && error.code === "53300");
}

// pg-pool's message when a statement has waited for too long, here for a connection that was being opened.
function isOverdue(error: unknown): boolean {
  return error instanceof Error && error.message === "timeout exceeded when trying to connect";
}
