import pg from "pg";
import type { Log } from "../process/log.js";
import { DatabaseOutage, isDemoted, isSilence, leavesConnectionGood, statementError } from "./outage.js";
import { isRefusedStart, isReplaced } from "./pooler.js";
import { NO_PART } from "./releases/contractions.js";
import { getTypeParser, hasNoMore, PART, readLatest, requireRoom, requireSession, SessionClient } from "./session.js";

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
    for (;;) {
      const connection = await this.take();
      if (await this.settings.route.leadsToPrimary(connection)) return connection;
      connection.release(true);
    }
  }

  /** Opens one more connection. Fails at once if there is none, instead of waiting for one that is open. */
  connectOneMore(): Promise<Connection> {
    return this.take(false);
  }

  /** Takes an idle connection, opens one, or waits for one. If this fails, the statement was certainly not sent. */
  private async take(waits = true): Promise<Connection> {
    const { route } = this.settings;
    for (let stored = 0; ; ) {
      const { isBare } = route;
      try {
        return (await super.connect()) as Connection;
      } catch (error) {
        // Several connections may be refused at the same time.
        if (isRefusedStart(error) && !isBare) route.isBare = true;
        else if (isReplaced(error) && ++stored < STORE_TRIES) continue;
        else if (this.opened > 0 && this.cannotOpen(error)) this.limitToOpened(error, waits);
        else throw new DatabaseOutage(error as Error, false);
      }
    }
  }

  /** Returns true if no further connection can be opened, or if opening one took too long, which pg-pool reports with this message. */
  private cannotOpen(error: unknown): boolean {
    const isOverdue = error instanceof Error && error.message === "timeout exceeded when trying to connect";
    return hasNoMore(error) || (isOverdue && this.totalCount > this.opened);
  }

  /**
   * A server, a role or a pooler can have fewer connections left than a pool may open. Statements then wait for one of the open connections,
   * as they do in a full pool; pg-pool (3.14) would fail each statement for which it could not open another one.
   */
  private limitToOpened(err: unknown, waits: boolean): void {
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
    if (!waits) throw new DatabaseOutage(err as Error, false);
  }
}

/** A connection of a part, with the part's settings. */
class PartClient extends SessionClient {
  /** True if statements may be prepared by name, which excludes a pooler that gives each transaction another session. */
  prepares = false;
  /** The round in which the connection was opened or last answered. */
  round: number;
  private readonly route: Route;

  constructor(options: pg.ClientConfig & Pick<PoolOptions, "route" | "urlFile">) {
    const { route, urlFile } = options;
    super(urlFile === undefined ? options : { ...options, connectionString: readLatest(urlFile) });
    this.route = route;
    this.round = route.round;
    // The pool does not listen to a connection that is checked out, which may emit a second error after its query has failed.
    this.on("error", () => {});
  }

  protected override settings() {
    return this.route.isBare ? undefined : PART;
  }

  /**
   * Finds out whether statements may be prepared by name, and with `hasOthers` whether the server has room for one more connection. If another role than before logs in behind a pooler, because the file with the URL was
   * replaced, its settings are stored, too.
   */
  async inspect(hasOthers: boolean): Promise<void> {
    const { isPooled, ...server } = await this.readServer();
    if (hasOthers && !isPooled) requireRoom(server);
    this.prepares = !isPooled || (await this.tracksStatements());
    if (isPooled) await this.route.admit(String(this.user), () => requireSession(this, { store: true }));
  }

  // biome-ignore lint/suspicious/noExplicitAny: as the pool's `query`.
  override query(statement: any, values?: any): any {
    return super.query(statement, values).catch((error: Error) => {
      const outage = statementError(error);
      this.route.judge(outage);
      throw outage;
    });
  }

  async takesWrites(): Promise<boolean> {
    const [row] = await this.ask({ text: "SHOW transaction_read_only" }).catch(() => []);
    return row?.transaction_read_only === "off";
  }
}

/**
 * The state of the way from a part to its server, which the part's pools share.
 *
 * After a failover, the open connections lead to a server that takes no writes or does not respond. Finding out would cost one statement for
 * each connection, so the finding of one applies to all. A server that takes no writes is not a primary. A server that did not answer in
 * time may only be waiting for something, so it is asked again, on another connection, before the others are closed.
 */
export class Route {
  /** True if a pooler refuses `options`, as PgBouncer does. Then the settings are those of the role in the database. */
  isBare = false;
  round = 0;
  /** The roles that log in. A starting part stores the settings of the first. */
  private readonly roles = new Set<string>();
  private storing: Promise<void> | undefined;
  // Connections of rounds before `doubted` are in doubt; those of rounds before `gone` lead to a server that is gone.
  private doubted = 0;
  private gone = 0;

  /** Runs `store` for another role than the first, until it has succeeded once. */
  async admit(role: string, store: () => Promise<void>): Promise<void> {
    if (this.roles.size > 0 && !this.roles.has(role)) {
      this.storing ??= store().finally(() => {
        this.storing = undefined;
      });
      await this.storing;
    }
    this.roles.add(role);
  }

  /** Concludes from a statement's error whether the connections opened so far are still good. */
  judge(error: Error): void {
    if (isDemoted(error)) this.gone = ++this.round;
    else if (isSilence(error)) this.doubted = ++this.round;
  }

  async leadsToPrimary(connection: PartClient): Promise<boolean> {
    if (connection.round < this.gone) return false;
    if (connection.round >= this.doubted) return true;
    const asked = this.doubted;
    if (await connection.takesWrites()) connection.round = asked;
    else this.gone = Math.max(this.gone, asked);
    return connection.round >= this.gone;
  }
}
