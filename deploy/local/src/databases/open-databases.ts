import { join } from "node:path";
import { type Database, openDatabase } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import { type Running, waitFor } from "@shipping/kit/process/run-process";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { supervise } from "@shipping/local/servers/supervise";
import type { LocalConfig } from "../config.js";
import type { DataFolder } from "../data-folder.js";
import { mapParts, type Part, parts } from "../parts.js";
import { prepareDatabases, withoutDatabase } from "./prepare-databases.js";

interface Opening {
  folder: DataFolder;
  config: LocalConfig;
  log: Log;
  opened: Running[];
  stopping?: AbortSignal | undefined;
}

/** Migrates every part's database and connects to it. Whatever was opened is added to `opened`, to be stopped in reverse order. */
export async function openDatabases(
  options: Opening,
): Promise<{ urls: Record<Part, string>; databases: Record<Part, Database> }> {
  const { config, log, opened, stopping } = options;
  const serverUrl = withoutDatabase(config).length > 0 ? await startPostgres(options) : undefined;
  const urls = await prepareDatabases({ ...options, serverUrl });
  const databases = mapParts((part) => openDatabase(urls[part], { log: log.child({ part }) }));
  opened.push({
    async stop() {
      await Promise.all(parts.map((part) => databases[part].close()));
    },
  });
  // On a busy machine, a first connection may take longer than the second after which a part gives up.
  await Promise.all(
    parts.map((part) =>
      waitFor(`database of ${part}`, { log, stopping, attempt: () => databases[part].pool.query("") }),
    ),
  );
  return { urls, databases };
}

/** Starts PostgreSQL, and starts it again on the same port if it ends. */
async function startPostgres({ folder, log, opened }: Opening): Promise<string> {
  const options = {
    dataDir: join(folder.path, "postgres"),
    log: (line: string) => log.debug({ line }, "postgres"),
  };
  const first = await startEmbeddedPostgres(options);
  const { port } = first;
  let starts = 0;
  const supervised = supervise(
    {
      name: "PostgreSQL",
      address: `127.0.0.1:${port}`,
      async start(spawned) {
        if (starts++ === 0) spawned(first);
        else await startEmbeddedPostgres({ ...options, port, spawned });
      },
    },
    { spawned: () => {}, say: (line) => log.warn(line) },
  );
  opened.push(supervised);
  return first.url("postgres");
}
