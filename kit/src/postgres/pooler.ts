import pg from "pg";
import { sqlState } from "./outage.js";

/** A pool or one of its connections. */
export type Session = Pick<pg.Pool, "query">;

/** A session lacked the part's settings. They are stored now, so the pooler's next session has them. */
export class SettingsStored extends Error {
  override name = "SettingsStored";
}

/**
 * Returns true if a pooler refused the settings that a connection starts with: PgBouncer, and with it Neon and others, names the parameter; RDS
 * Proxy says that it "currently doesn’t support command-line options".
 */
export function isRefusedStart(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return /^(?:08P01|0A000)$/.test(error.code ?? "") && /startup parameter|command-line options/.test(error.message);
}

/**
 * Returns true if a session ended while a connection was opening, because this connection or another one has stored settings: PostgreSQL says so
 * (57P01), or the driver, if the next query of the connection comes later.
 */
export function isReplaced(error: unknown): boolean {
  if (error instanceof SettingsStored || sqlState(error) === "57P01") return true;
  return error instanceof Error && error.message === "Client has encountered a connection error and is not queryable";
}

// A session begins with the settings of the role that logs in, which may act as another one (`ALTER ROLE … SET role`) without the right to
// change the settings of the first.
const AS_LOGIN = "SET LOCAL ROLE NONE";

/** Stores settings for the role that logs in. Several replicas may do so at the same time, of which PostgreSQL refuses all but one. */
export async function storeSettings(session: Session, database: string, settings: [string, string][]): Promise<void> {
  const target = `ALTER ROLE SESSION_USER IN DATABASE ${pg.escapeIdentifier(database)}`;
  const changes = settings.map(([name, value]) => `${target} SET ${name} = ${pg.escapeLiteral(value)}`);
  await session.query([AS_LOGIN, ...changes].join(";")).catch((error) => {
    const isConcurrent = sqlState(error) === "XX000" && error.message.startsWith("tuple concurrently updated");
    if (!isConcurrent) throw error;
  });
}

/**
 * Ends the session in use, and with `all` also the idle ones with the part's name, so that a pooler opens new ones. Others of the same role, such
 * as a migration's, go on.
 */
export async function endSessions(session: Session, all: boolean): Promise<void> {
  await session
    .query(`${AS_LOGIN};
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE usename = session_user AND datname = current_database() AND (pid = pg_backend_pid() OR ${all} AND state = 'idle'
        AND application_name = pg_catalog.current_setting('application_name'))
      ORDER BY pid = pg_backend_pid()`)
    .catch(() => {});
}
