import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { migrationFolders, type Part, parts } from "@shipping/local/parts";
import pg from "pg";
import { fencesOf } from "../docs/fences.js";

// Operators copy the statements of the guide, so each runs here in the database that its page names, as the user that it names: the part's role,
// which may read and write its tables but owns nothing, unless the page says "administrator".

const docs = join(import.meta.dirname, "../../docs");
const pages = [
  ...readdirSync(join(docs, "operations")).map((name) => `operations/${name}`),
  ...readdirSync(docs).filter((name) => name.endsWith(".md")),
].filter((name) => name.endsWith(".md"));

interface Shown {
  page: string;
  statement: string;
  /** The words of the paragraph with the statement, and of the one before a block. */
  words: string;
}

const textOf = (page: string) => readFileSync(join(docs, page), "utf8");

/** The blocks of SQL, and the queries in sentences and tables. */
const shown = pages.flatMap((page): Shown[] => {
  const text = textOf(page);
  const blocks = fencesOf(text)
    .filter(({ mark, language }) => mark === "shown" && language === "sql")
    .map(({ code, line }) => {
      const before = text
        .split("\n")
        .slice(0, line - 1)
        .join("\n")
        .trimEnd();
      return { page, statement: code, words: before.slice(before.lastIndexOf("\n\n") + 1) };
    });
  const sentences = text
    .split(/\n\n|(?<=\|)\n/)
    .flatMap((words) =>
      (words.match(/(?<=`)SELECT [^`]+ FROM [^`]+(?=`)/g) ?? []).map((statement) => ({ page, statement, words })),
    );
  return [...blocks, ...sentences];
});

/** The parts in whose databases a statement runs: the one whose database the words name, or each part. */
function databasesIn(words: string): readonly Part[] {
  const named = parts.filter((part) =>
    new RegExp(`\\b${part}'s\\s+database|\\bdatabase\\s+of\\s+(?:the\\s+)?${part}\\b`).test(words),
  );
  return named.length > 0 ? named : /\bthe\s+part's\s+database/.test(words) ? parts : [];
}

const byAdministrator = shown.filter(({ words }) => /\badministrator\b/.test(words));
const byParts = shown.filter((one) => !byAdministrator.includes(one));

test("statements are found in blocks, sentences and tables", () => {
  expect(byParts.length).toBeGreaterThan(4);
  expect(byAdministrator.map(({ page }) => page)).toEqual(["operations/secrets-and-certificates.md"]);
});

describe("a statement of an operator's guide", () => {
  const databases = new Map<Part, TestDatabase>();
  const role = `operator_${randomBytes(4).toString("hex")}`;
  beforeAll(async () => {
    for (const part of parts) {
      const database = await testDatabase({ directory: migrationFolders[part] });
      databases.set(part, database);
      if (part === parts[0]) await database.db.pool.query(`CREATE ROLE ${role}`);
      await database.db.pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    }
  });
  afterAll(async () => {
    for (const { db, drop } of databases.values()) {
      await db.pool.query(`DROP OWNED BY ${role}`);
      await drop();
    }
    await asSuperuser(`DROP ROLE ${role}`);
  });

  test.each(byParts)("of $page runs in the database that it names: $statement", async ({ statement, words }) => {
    const where = databasesIn(words);
    expect({ words, databases: where.length }).not.toMatchObject({ databases: 0 });
    for (const part of where) {
      const client = await databases.get(part)!.db.pool.connect();
      try {
        await client.query("BEGIN");
        await client.query(`SET LOCAL ROLE ${role}`);
        await client.query(statement);
      } finally {
        await client.query("ROLLBACK");
        client.release();
      }
    }
  });
});

test("the statements for a new database password make a role that acts as the first one, which can then be locked", async () => {
  const run = randomBytes(4).toString("hex");
  const [block] = byAdministrator;
  const named = (text: string) => text.replace(/\brecords/g, `records_${run}`).replaceAll("…", "secret");
  const [, lock = ""] = /run `(ALTER ROLE records NOLOGIN)`/.exec(textOf(block!.page)) ?? [];
  await asSuperuser(`CREATE ROLE admin_${run} LOGIN CREATEDB CREATEROLE PASSWORD 'secret'`);
  const administrator = urlOf(`admin_${run}`, "postgres");
  await execute(
    administrator,
    `CREATE ROLE records_${run} LOGIN PASSWORD 'old'`,
    `GRANT records_${run} TO CURRENT_USER`,
    `CREATE DATABASE records_${run} OWNER records_${run} TEMPLATE template0`,
    ...named(block!.statement).trim().split(/;$/m),
    named(lock),
  );
  const second = urlOf(`records_${run}_2`, `records_${run}`);
  const [{ tableowner }] = await execute(
    second,
    "CREATE TABLE made (id text)",
    "SELECT tableowner FROM pg_tables WHERE tablename = 'made'",
  );
  expect(tableowner).toBe(`records_${run}`);
  await expect(execute(urlOf(`records_${run}`, `records_${run}`, "old"), "SELECT 1")).rejects.toThrow(
    "not permitted to log in",
  );
  await asSuperuser(
    `DROP DATABASE records_${run} WITH (FORCE)`,
    `DROP ROLE records_${run}_2, records_${run}, admin_${run}`,
  );
});

function urlOf(username: string, database: string, password = "secret"): string {
  const url = new URL(process.env.TEST_DATABASE_URL as string);
  return Object.assign(url, { username, password, pathname: `/${database}` }).href;
}

/** Runs statements one after the other, and returns the rows of the last. */
async function execute(url: string, ...statements: string[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // biome-ignore lint/suspicious/noExplicitAny: each caller knows its columns.
    let rows: any[] = [];
    for (const statement of statements.filter((one) => one.trim())) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

const asSuperuser = (...statements: string[]) => execute(process.env.TEST_DATABASE_URL as string, ...statements);
