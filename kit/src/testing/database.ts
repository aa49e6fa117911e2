import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { type Database, openDatabase } from "../postgres/database.js";
import { migrate } from "../postgres/migrate.js";
import { silentLog } from "../process/log.js";

/**
 * The settings of a server for tests: its databases need not survive a power failure, so that dropping one does not wait a second for the
 * disk; and several workers at once have a platform each, with all its pools full.
 */
export const TEST_SETTINGS = { fsync: "off", full_page_writes: "off", max_connections: "800" };

/** On a busy machine, a first connection may take longer than the second after which a part gives up. */
export const CONNECT_MS = 5_000;

/** A test's own database. `drop` closes `db` and removes it. */
export interface TestDatabase {
  url: string;
  db: Database;
  drop(): Promise<void>;
}

/** Opens a connection in a transaction that PostgreSQL does not end, however long it is idle while others wait for its locks. */
export async function openTransaction({ pool }: Pick<Database, "pool">): Promise<pg.PoolClient> {
  const client = await pool.connect();
  await client.query("SET idle_in_transaction_session_timeout = 0; BEGIN");
  return client;
}

/**
 * Clones a database that has the migrations of `directory` (a part's `prisma` folder). The template is created once per server and content
 * of the migrations; a clone takes a tenth of a second. `url` names a server other than the test run's.
 */
export async function testDatabase(options: { directory: string; url?: string }): Promise<TestDatabase> {
  const serverUrl = options.url ?? process.env.TEST_DATABASE_URL;
  if (!serverUrl) {
    throw new Error(
      "There is no test database: run the tests with Jest at the root, or set TEST_DATABASE_URL to a superuser's URL.",
    );
  }
  const name = `test_${randomBytes(8).toString("hex")}`;
  const url = withDatabase(serverUrl, name);
  await withClient(serverUrl, async (client) => {
    const template = await ensureTemplate(client, serverUrl, options.directory);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  });
  const db = openDatabase(url, { connectMs: CONNECT_MS, log: silentLog() });
  return {
    url,
    db,
    async drop() {
      await db.close();
      await withClient(serverUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

const TEMPLATE_LOCK = 5_108_331_207n;

async function ensureTemplate(client: pg.Client, serverUrl: string, directory: string): Promise<string> {
  const template = `template_${await contentOf(join(directory, "migrations"))}`;
  await client.query("SELECT pg_advisory_lock($1)", [TEMPLATE_LOCK]);
  try {
    const existing = await client.query("SELECT FROM pg_database WHERE datname = $1", [template]);
    if (existing.rowCount === 0) await createTemplate(client, serverUrl, template, directory);
    return template;
  } finally {
    await client.query("SELECT pg_advisory_unlock($1)", [TEMPLATE_LOCK]);
  }
}

// The template gets its name last, so one that a killed run left unfinished is never cloned.
async function createTemplate(
  client: pg.Client,
  serverUrl: string,
  template: string,
  directory: string,
): Promise<void> {
  const unfinished = `${template}_unfinished`;
  await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${unfinished} TEMPLATE template0`);
  await migrate({ url: withDatabase(serverUrl, unfinished), directory });
  await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
}

async function contentOf(migrations: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(migrations, { recursive: true });
  for (const path of entries.filter((entry) => entry.endsWith(".sql")).sort()) {
    hash.update(`${path}\n`).update(await readFile(join(migrations, path)));
  }
  return hash.digest("hex").slice(0, 24);
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
