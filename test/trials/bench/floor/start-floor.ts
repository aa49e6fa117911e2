import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { newId } from "@shipping/kit/ids";
import { type Database, openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import sql from "sql-template-tag";
import { inTurn } from "../customers.js";
import { openTarget } from "../target.js";

export type Floor = Awaited<ReturnType<typeof startFloor>>;

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

/** Starts it with accounts. */
export async function startFloor(wanted: { accounts: number }) {
  const server = spawn(process.execPath, ["--conditions=source", "--import=tsx", MAIN], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(server, "exit");
  const line = await Promise.race([once(createInterface(server.stdout), "line"), exited.then(() => undefined)]);
  if (!line) throw new Error("The floor did not start.");
  const { port, postgresUrl } = JSON.parse(line[0]) as { port: number; postgresUrl: string };
  const db = openDatabase(postgresUrl, { max: 1, log: silentLog() });
  const target = openTarget({
    name: "floor",
    baseUrls: [`http://127.0.0.1:${port}`],
    customers: inTurn(await createAccounts(db, wanted.accounts, false)),
    limited: inTurn(await createAccounts(db, wanted.accounts, true)),
    limit: async () => {},
    // PostgreSQL is a child of the floor.
    processes: () => [{ name: "floor", pid: server.pid! }],
    databases: { floor: db },
  });

  return {
    target,
    db,
    async stop() {
      await target.close();
      await db.close();
      server.stdin.end();
      await exited;
    },
  };
}

async function createAccounts(db: Database, count: number, limited: boolean) {
  const ids = Array.from({ length: count }, () => newId("acc", randomBytes));
  await db.run(sql`INSERT INTO accounts (id, limited) SELECT id, ${limited} FROM unnest(${ids}::text[]) AS made (id)`);
  return ids.map((accountId) => ({ accountId, keys: [accountId] }));
}
