import pg from "pg";
import type { Log } from "../process/log.js";
import { DatabaseOutage, leavesConnectionGood } from "./outage.js";
import { PartClient } from "./part-client.js";
import { isRefusedStart, isReplaced } from "./pooler.js";
import { NO_PART } from "./releases/contractions.js";
import type { Route } from "./route.js";
import { getTypeParser, hasNoMore } from "./session.js";

/** A connection is closed after this time without a statement. */
const IDLE_MS = 300_000;

// An idle connection to a server that has vanished is closed after three times as long.
const KEEP_ALIVE_MS = 5_000;

/** The time after which a pool that got fewer connections than its maximum tries to open more, if statements wait. */
const FEWER_MS = 10_000;

/** A pooler may still have as many sessions that began before the settings of their role were stored. */
const STORE_TRIES = 100;

interface PoolOptions {
  /** Each connection reads the URL from this file again, if it is given. */
  urlFile?: string;
  max: number;
  connectMs: number;
  log: Log;
  route: Route;
}

/** A try to get a connection that has failed. */
interface FailedTry {
  error: Error;
  /** How many tries have failed, this one included. */
  tries: number;
  /** Whether the connection was to begin without settings. */
  wasBare: boolean;
  /** Whether the caller waits for a connection that is open, if there is no further one. */
  waits: boolean;
}

/** A connection leads to a server that is not, or no longer, the primary. */
class NotPrimary extends Error {}

/** A connection that a pool has handed out. */
export type Connection = PartClient & pg.PoolClient;

/**
 * The connections of a part to its server. All have the part's settings, and lead to the primary. Each statement that fails for another
 * reason than its text or its data fails with a `DatabaseOutage`.
 */
export class PartPool extends pg.Pool {
  private opened = 0;
  private restoring: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    private readonly settings: PoolOptions,
  ) {
    const { connectMs, log, max, route, urlFile } = settings;
    const clientOptions = { route, urlFile };
    super({
      connectionString: url,
      max,
      connectionTimeoutMillis: connectMs,
      // Connections are kept after a burst, because a new one costs a login and a new plan for each of its statements.
      idleTimeoutMillis: IDLE_MS,
      // This limit is for a server that stops responding: otherwise the connection would be held until TCP times out.
      query_timeout: 6_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: String(log.bindings().part ?? NO_PART),
      types: { getTypeParser },
      Client: PartClient as unknown as NonNullable<pg.PoolConfig["Client"]>,
      ...clientOptions,
    });
    this.options.onConnect = (client) => (client as PartClient).inspect(this.opened > 0);
    this.on("connect", () => void this.opened++);
    this.on("remove", () => void this.opened--);
    // Without a listener, a connection that PostgreSQL closes while it is idle would end the process.
    this.on("error", (err) => {
      if (!this.ending) log.warn({ err }, "lost an idle database connection");
    });
  }

  /** Lends a connection to a statement, and closes the connection afterwards if it is of no further use. */
  async lend<T>(statement: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.connect();
    try {
      const result = await statement(connection);
      connection.release();
      return result;
    } catch (error) {
      connection.release(!leavesConnectionGood(error));
      throw error;
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares seven forms. Prisma and our own code use those that return a promise.
  override query(statement: any, values?: any): any {
    return this.lend((connection) => connection.query(statement, values));
  }

  override async connect(): Promise<Connection> {
    return this.take(true);
  }

  /** Opens one more connection. Fails at once if there is none, instead of waiting for one that is open. */
  connectOneMore(): Promise<Connection> {
    return this.take(false);
  }

  /**
   * Takes an idle connection, opens one, or waits for one, and tries again for each of `reasonsToRetry`. If this fails, the statement was
   * certainly not sent.
   */
  private async take(waits: boolean): Promise<Connection> {
    for (let tries = 1; ; tries++) {
      const wasBare = this.settings.route.isBare;
      try {
        return await this.tryOnce();
      } catch (error) {
        const failed: FailedTry = { error: error as Error, tries, wasBare, waits };
        if (!this.reasonsToRetry.some((prepares) => prepares(failed))) throw new DatabaseOutage(failed.error, false);
      }
    }
  }

  private async tryOnce(): Promise<Connection> {
    const connection = (await super.connect()) as Connection;
    if (await this.settings.route.leadsToPrimary(connection)) return connection;
    connection.release(true);
    throw new NotPrimary();
  }

  /** The reasons to try again. Each returns false for other failures, and prepares the next try before it returns true. */
  private readonly reasonsToRetry: readonly ((failed: FailedTry) => boolean)[] = [
    // The connection was open before a failover. It is closed now.
    ({ error }) => error instanceof NotPrimary,
    // A pooler refuses settings at the start of a connection, perhaps of several connections at once.
    ({ error, wasBare }) => {
      if (wasBare || !isRefusedStart(error)) return false;
      this.settings.route.isBare = true;
      return true;
    },
    // A pooler's session began before the settings of its role were stored, and was ended.
    ({ error, tries }) => isReplaced(error) && tries < STORE_TRIES,
    // The server has no further connection, so the statement waits for one of the open ones.
    ({ error, waits }) => {
      if (this.opened === 0 || !this.cannotOpen(error)) return false;
      this.limitToOpened(error);
      return waits;
    },
  ];

  /** Returns true if no further connection can be opened, or if opening one took too long, which pg-pool reports with this message. */
  private cannotOpen(error: unknown): boolean {
    const isOverdue = error instanceof Error && error.message === "timeout exceeded when trying to connect";
    return hasNoMore(error) || (isOverdue && this.totalCount > this.opened);
  }

  /**
   * A server, a role or a pooler can have fewer connections left than a pool may open. Statements then wait for one of the open connections,
   * as they do in a full pool; pg-pool (3.14) would fail each statement for which it could not open another one.
   */
  private limitToOpened(err: unknown): void {
    const { log, max } = this.settings;
    const open = this.opened;
    this.options.max = open;
    if (!this.restoring) {
      log.warn(
        { err, open, max },
        "no further database connections can be opened; statements share those that are open",
      );
      this.restoring = setTimeout(() => {
        this.options.max = max;
        this.restoring = undefined;
      }, FEWER_MS).unref();
    }
  }
}
