import type pg from "pg";
import { statementError } from "./outage.js";
import type { Route } from "./route.js";
import { PART, readLatest, requireRoom, requireSession, SessionClient } from "./session.js";

/** A connection of a part, with the part's settings. */
export class PartClient extends SessionClient {
  /** True if statements may be prepared by name, which excludes a pooler that gives each transaction another session. */
  prepares = false;
  /** The round in which the connection was opened or last answered. */
  round: number;
  private readonly route: Route;

  constructor(options: pg.ClientConfig & { route: Route; urlFile?: string }) {
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
   * Finds out whether statements may be prepared by name, and with `hasOthers` whether the server has room for one more connection. If
   * another role than before logs in behind a pooler, because the file with the URL was replaced, its settings are stored, too.
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
