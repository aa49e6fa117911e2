import type pg from "pg";

/** The oldest releases that the platform supports; `npm run trial -- versions` runs it on these and on the newest. */
export const OLDEST = { Node: "20.19", PostgreSQL: "15", "nats-server": "2.9" } as const;

/**
 * A dependency of the platform cannot be used, however long the process waits. The message names the version that was found and the one
 * that is needed.
 */
export class Unsupported extends Error {
  override readonly name = "Unsupported";
}

/** Throws `Unsupported` if a version, such as `15.14` or `v2.10.29`, is older than the oldest supported. */
export function requireVersion(program: keyof typeof OLDEST, found: string): void {
  if (isAtLeast(found, OLDEST[program])) return;
  throw new Unsupported(`${program} ${found} is too old. Install version ${OLDEST[program]} or newer.`);
}

/** Returns the version of the PostgreSQL behind a connection or a pool, such as `15.14`. Throws `Unsupported`. */
export async function requirePostgres(connection: Pick<pg.ClientBase, "query">): Promise<string> {
  const { rows } = await connection.query("SELECT current_setting('server_version') AS version");
  // Debian reports `15.14 (Debian 15.14-0+deb12u1)`.
  const [version] = rows[0].version.split(" ");
  requireVersion("PostgreSQL", version);
  return version;
}

/** Returns true if a version, such as `15.14` or `v2.10.29`, is this one or a newer one. */
export function isAtLeast(found: string, oldest: string): boolean {
  const [major, minor] = parseNumbers(found);
  const [oldestMajor, oldestMinor] = parseNumbers(oldest);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

// The pattern also reads `19beta1` and `2.15.0-RC.1`.
function parseNumbers(version: string): [major: number, minor: number] {
  const [, major, minor] = /^v?(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return [Number(major ?? 0), Number(minor ?? 0)];
}
