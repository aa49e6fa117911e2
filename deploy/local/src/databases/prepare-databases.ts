import { randomBytes } from "node:crypto";
import { migrate } from "@shipping/kit/postgres/migrate";
import pg from "pg";
import { databaseSetting, type LocalConfig } from "../config.js";
import type { DataFolder } from "../data-folder.js";
import { mapParts, migrationFolders, type Part, parts } from "../parts.js";

/** The parts for which the environment names no database. */
export function withoutDatabase(config: LocalConfig): Part[] {
  const given = givenUrls(config);
  return parts.filter((part) => !given[part]);
}

/**
 * Migrates every part's database: the one that the environment names, or else one on the server at `serverUrl` (the superuser's URL), which
 * is created if it does not exist. Returns the URLs of the databases.
 */
export async function prepareDatabases(options: {
  folder: DataFolder;
  config: LocalConfig;
  serverUrl: string | undefined;
  /** The folders of migrations that replace those of this checkout. */
  migrations?: Partial<Record<Part, string>>;
}): Promise<Record<Part, string>> {
  const { folder, config, serverUrl } = options;
  const folders = { ...migrationFolders, ...options.migrations };
  const made = serverUrl === undefined ? {} : await databasesOn(serverUrl, withoutDatabase(config), folder);
  const given = Object.entries(givenUrls(config)).filter(([, url]) => url !== undefined);
  const urls = { ...made, ...Object.fromEntries(given) } as Record<Part, string>;
  await Promise.all(parts.map((part) => migrate({ url: urls[part], directory: folders[part] })));
  return urls;
}

function givenUrls(config: LocalConfig): Record<Part, string | undefined> {
  return mapParts((part) => config[databaseSetting(part)]);
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

/** Gives each part a role and a database named after it, on the server of superuser `url`. Existing ones only get a new password. */
export async function createDatabases<Part extends string>(options: {
  url: string;
  passwords: Readonly<Record<Part, string>>;
}): Promise<Record<Part, string>> {
  const client = new pg.Client({ connectionString: options.url });
  // Without a listener, a lost connection would end this process; the statement in progress fails anyway.
  client.on("error", () => {});
  await client.connect();
  const urls: Partial<Record<Part, string>> = {};
  try {
    for (const [part, password] of Object.entries(options.passwords) as [Part, string][]) {
      await createDatabase(client, part, password);
      urls[part] = urlFor(options.url, part, password);
    }
  } finally {
    await client.end();
  }
  return urls as Record<Part, string>;
}

async function createDatabase(client: pg.Client, part: string, password: string): Promise<void> {
  const name = pg.escapeIdentifier(part);
  const role = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [part]);
  const verb = role.rowCount === 0 ? "CREATE" : "ALTER";
  await client.query(`${verb} ROLE ${name} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  const database = await client.query("SELECT FROM pg_database WHERE datname = $1", [part]);
  if (database.rowCount === 0)
    await client.query(`CREATE DATABASE ${name} OWNER ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  // By default, every role may connect to every database.
  await client.query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
}

function urlFor(serverUrl: string, part: string, password: string): string {
  const url = new URL(serverUrl);
  url.username = part;
  url.password = encodeURIComponent(password);
  url.pathname = `/${part}`;
  return url.href;
}
