import { randomBytes } from "node:crypto";
import { migrate } from "@shipping/kit/postgres/migrate";
import type { LocalConfig } from "../config.js";
import type { DataFolder } from "../data-folder.js";
import { migrationsOf, type Part, parts } from "../parts.js";
import { createDatabases } from "./create-databases.js";

/** The parts for which the environment names no database. */
export function withoutDatabase(config: LocalConfig): Part[] {
  const given = givenUrls(config);
  return parts.filter((part) => !given[part]);
}

/**
 * Every part's database, migrated: the one that the environment names, or else one on the server at `serverUrl` (its superuser's), made
 * where it is not there yet. Yields their URLs.
 */
export async function prepareDatabases(options: {
  folder: DataFolder;
  config: LocalConfig;
  serverUrl: string | undefined;
}): Promise<Record<Part, string>> {
  const { folder, config, serverUrl } = options;
  const made = serverUrl === undefined ? {} : await databasesOn(serverUrl, withoutDatabase(config), folder);
  const given = Object.entries(givenUrls(config)).filter(([, url]) => url !== undefined);
  const urls = { ...made, ...Object.fromEntries(given) } as Record<Part, string>;
  await Promise.all(parts.map((part) => migrate({ url: urls[part], directory: migrationsOf[part] })));
  return urls;
}

/** The same for every part. */
export function mapParts<T>(make: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, make(part)])) as Record<Part, T>;
}

function givenUrls(config: LocalConfig): Record<Part, string | undefined> {
  return {
    gateway: config.DATABASE_URL_GATEWAY,
    records: config.DATABASE_URL_RECORDS,
    carrier: config.DATABASE_URL_CARRIER,
    tracking: config.DATABASE_URL_TRACKING,
    webhooks: config.DATABASE_URL_WEBHOOKS,
  };
}

async function databasesOn(
  serverUrl: string,
  needed: readonly Part[],
  folder: DataFolder,
): Promise<Record<string, string>> {
  const keptPasswords = await folder.keep("database-passwords.json", () =>
    JSON.stringify(mapParts(() => randomBytes(18).toString("base64url"))),
  );
  const passwords = JSON.parse(keptPasswords) as Record<Part, string>;
  const wanted = Object.fromEntries(needed.map((part) => [part, passwords[part]])) as Record<Part, string>;
  return createDatabases({ url: serverUrl, passwords: wanted });
}
