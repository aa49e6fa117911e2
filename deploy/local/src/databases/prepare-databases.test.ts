import { randomBytes } from "node:crypto";
import pg from "pg";
import { createDatabases } from "./prepare-databases.js";

// Roles belong to the server, which other tests share, so these names are the test's own.
const run = randomBytes(4).toString("hex");
const [one, two] = [`one_${run}`, `two_${run}`];
const passwords = { [one]: "p@ss/word:'1'", [two]: "second" };

afterAll(async () => {
  for (const part of [one, two]) {
    await query(serverUrl(), `DROP DATABASE ${part} WITH (FORCE)`);
    await query(serverUrl(), `DROP ROLE ${part}`);
  }
});

function serverUrl(): string {
  return process.env.TEST_DATABASE_URL as string;
}

async function query(url: string | undefined, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe("createDatabases", () => {
  test("gives each part a database in which it may make tables", async () => {
    const urls = await createDatabases({ url: serverUrl(), passwords });
    await query(urls[one], "CREATE TABLE kept AS SELECT 1 AS one");
    expect(await query(urls[one], "SELECT current_user, current_database()")).toEqual([
      { current_user: one, current_database: one },
    ]);
  });

  test("denies a part the database of another", async () => {
    const urls = await createDatabases({ url: serverUrl(), passwords });
    const elsewhere = new URL(urls[one] as string);
    elsewhere.pathname = `/${two}`;
    await expect(query(elsewhere.href, "SELECT 1")).rejects.toMatchObject({ code: "42501" });
  });

  test("a second time keeps the data and takes new passwords", async () => {
    const before = await createDatabases({ url: serverUrl(), passwords });
    const after = await createDatabases({ url: serverUrl(), passwords: { ...passwords, [one]: "changed" } });
    await expect(query(before[one], "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
    expect(await query(after[one], "SELECT one FROM kept")).toEqual([{ one: 1 }]);
  });
});
