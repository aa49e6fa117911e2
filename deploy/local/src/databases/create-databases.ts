import pg from "pg";

/**
 * Gives every part a role and a database of its own, both called like the part, on the server whose superuser's `url` is given. What
 * exists already stays; only the passwords are set again. Returns the URL of each part's database.
 */
export async function createDatabases<Part extends string>(options: {
  url: string;
  passwords: Readonly<Record<Part, string>>;
}): Promise<Record<Part, string>> {
  const client = new pg.Client({ connectionString: options.url });
  // Without a listener, a server that stops would end this process; the statement under way fails anyway.
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
  if (database.rowCount === 0) await client.query(`CREATE DATABASE ${name} OWNER ${name} TEMPLATE template0`);
  // By default every role may connect to every database: nobody reads another part's.
  await client.query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${name} FROM PUBLIC`);
}

function urlFor(serverUrl: string, part: string, password: string): string {
  const url = new URL(serverUrl);
  url.username = part;
  url.password = encodeURIComponent(password);
  url.pathname = `/${part}`;
  return url.href;
}
