import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Database, openDatabase } from "@shipping/kit/database";
import { startEmbeddedPostgres } from "@shipping/kit/embedded-postgres";
import type { Log } from "@shipping/kit/log";
import { migrate } from "@shipping/kit/migrate";
import type { Running } from "@shipping/kit/process";
import type { LocalConfig } from "./config.js";
import { createDatabases } from "./create-databases.js";
import type { DataFolder } from "./data-folder.js";
import { migrationsOf, type Part, parts } from "./parts.js";

/** Every part's database, migrated. What was opened is added to `opened`, to be stopped in reverse. */
export async function openDatabases(options: {
  folder: DataFolder;
  config: LocalConfig;
  log: Log;
  opened: Running[];
}): Promise<{ urls: Record<Part, string>; databases: Record<Part, Database> }> {
  const { config, log, opened } = options;
  const given: Record<Part, string | undefined> = {
    gateway: config.DATABASE_URL_GATEWAY,
    records: config.DATABASE_URL_RECORDS,
    carrier: config.DATABASE_URL_CARRIER,
    tracking: config.DATABASE_URL_TRACKING,
    webhooks: config.DATABASE_URL_WEBHOOKS,
  };
  const missing = parts.filter((part) => !given[part]);
  const made = missing.length > 0 ? await embeddedDatabases(missing, options) : {};
  const urls = { ...made, ...defined(given) } as Record<Part, string>;
  await Promise.all(parts.map((part) => migrate({ url: urls[part], directory: migrationsOf[part] })));
  const databases = mapParts((part) => openDatabase(urls[part], { log: log.child({ part }) }));
  opened.push({
    async stop() {
      await Promise.all(parts.map((part) => databases[part].close()));
    },
  });
  return { urls, databases };
}

async function embeddedDatabases(
  needed: readonly Part[],
  { folder, log, opened }: { folder: DataFolder; log: Log; opened: Running[] },
): Promise<Partial<Record<Part, string>>> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder.path, "postgres"),
    log: (line) => log.debug({ line }, "postgres"),
  });
  opened.push(postgres);
  const keptPasswords = await folder.keep("database-passwords.json", () =>
    JSON.stringify(mapParts(() => randomBytes(18).toString("base64url"))),
  );
  const passwords = JSON.parse(keptPasswords) as Record<Part, string>;
  const wanted = Object.fromEntries(needed.map((part) => [part, passwords[part]])) as Record<Part, string>;
  return createDatabases({ url: postgres.url("postgres"), passwords: wanted });
}

function mapParts<T>(make: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, make(part)])) as Record<Part, T>;
}

function defined(urls: Record<Part, string | undefined>): Partial<Record<Part, string>> {
  return Object.fromEntries(Object.entries(urls).filter(([, url]) => url !== undefined));
}
