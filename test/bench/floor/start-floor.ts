import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Database, openDatabase } from "@shipping/kit/database";
import { startEmbeddedPostgres } from "@shipping/kit/embedded-postgres";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/log";
import sql from "sql-template-tag";
import { inTurn } from "../customers.js";
import { openTarget, type Target } from "../target.js";
import { floorSchema } from "./schema.js";

/** The floor, running. */
export interface Floor {
  target: Target;
  db: Database;
  /** Its PostgreSQL, for whatever else needs a database. */
  postgresUrl: string;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

/** Starts the floor, one Express process on a PostgreSQL of its own: the settings are those of the platform's. */
export async function startFloor(wanted: { accounts: number }): Promise<Floor> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-floor-"));
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
  const postgresUrl = postgres.url("postgres");
  const db = openDatabase(postgresUrl, { max: 1, log: silentLog() });
  await db.pool.query(floorSchema);
  const customers = inTurn(await createAccounts(db, wanted.accounts, false));
  const limited = inTurn(await createAccounts(db, wanted.accounts, true));
  const server = spawn(process.execPath, ["--conditions=source", "--import=tsx", MAIN, postgresUrl], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(server, "exit");
  const line = await Promise.race([once(createInterface(server.stdout), "line"), exited.then(() => undefined)]);
  if (!line) throw new Error("The floor did not start.");
  const target = openTarget({
    name: "floor",
    baseUrls: [`http://127.0.0.1:${line[0]}`],
    customers,
    limited,
    limit: async () => {},
    processes: () => [
      { name: "floor", pid: server.pid! },
      { name: "postgres", pid: postgres.pid },
    ],
    databases: { floor: db },
  });

  return {
    target,
    db,
    postgresUrl,
    async stop() {
      await target.close();
      server.stdin.end();
      await exited;
      await db.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function createAccounts(db: Database, count: number, limited: boolean) {
  const ids = Array.from({ length: count }, () => newId("acc", randomBytes));
  await db.run(sql`INSERT INTO accounts (id, limited) SELECT id, ${limited} FROM unnest(${ids}::text[]) AS made (id)`);
  return ids.map((accountId) => ({ accountId, keys: [accountId] }));
}
