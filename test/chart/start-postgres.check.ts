import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { findInstallationPaths, type InstallationPaths } from "@shipping/local/servers/installation-paths";
import { DATABASE_OWNERS } from "@shipping/proto/parts";
import getPort from "get-port";
import pg from "pg";
import { chart } from "./rendered.js";

/** The trial's server, as its pod starts it: as a user of its own, and with an empty folder at first. It needs Debian's `psql`. */
let folder: string;
let paths: InstallationPaths;
let port: number;
let server: ChildProcess;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "start-postgres-"));
  await chmod(folder, 0o755);
  paths = await findInstallationPaths(join(folder, "pgdata"));
  await cp(join(chart, "files"), join(folder, "scripts"), { recursive: true });
  if (paths.user) await chown(folder, paths.user.uid, paths.user.gid);
  port = await getPort({ host: "127.0.0.1" });
});
afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true });
});

async function stop(): Promise<void> {
  if (server.exitCode !== null) return;
  server.kill("SIGINT");
  await once(server, "exit");
}

/** Starts the pod with the passwords of these parts. */
function start(known: readonly string[]): void {
  const passwords = Object.fromEntries(known.map((part) => [`PASSWORD_${part}`, `secret of ${part}`]));
  server = spawn("sh", [join(folder, "scripts/start-postgres.sh")], {
    ...paths.user,
    cwd: folder,
    env: {
      ...passwords,
      PARTS: DATABASE_OWNERS.join(" "),
      PATH: paths.bin + delimiter + process.env.PATH,
      PGDATA: join(folder, "pgdata"),
      PGPORT: String(port),
    },
    stdio: "ignore",
  });
}

async function query(part: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: part, database: part, password: `secret of ${part}` });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const started = () => eventually(() => query("records", "SELECT"));

test("a first start that is interrupted between two databases is begun anew, and the next one keeps what is there", async () => {
  start(DATABASE_OWNERS.slice(0, 3));
  expect((await once(server, "exit"))[0]).not.toBe(0);
  const [pid] = (await readFile(join(folder, "pgdata.unfinished/postmaster.pid"), "utf8")).split("\n");
  process.kill(Number(pid), "SIGKILL");
  // The next pod has process IDs of its own. Here, PostgreSQL takes a lock file for valid until init has reaped the process.
  await eventually(() => expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH"));

  start(DATABASE_OWNERS);
  await started();
  for (const part of DATABASE_OWNERS) {
    const statement =
      "SELECT pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()";
    expect([part, await query(part, statement)]).toEqual([part, [{ encoding: "UTF8" }]]);
  }
  await query("records", "CREATE TABLE kept ()");
  await stop();

  start(DATABASE_OWNERS);
  await started();
  expect(await query("records", "SELECT FROM kept")).toEqual([]);
});
