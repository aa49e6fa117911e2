import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@shipping/api/operations/operations";
import { suspendedSince } from "@shipping/gateway/testing/stored-accounts";
import { openDatabase } from "@shipping/kit/postgres/database";
import { migrate } from "@shipping/kit/postgres/migrate";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS, type TestDatabase } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { migrationFolders, type Part, parts } from "@shipping/local/parts";
import { type Receiver, startReceiver } from "@shipping/webhooks/testing/receiver";
import pg from "pg";
import sql, { raw } from "sql-template-tag";
import { databaseStatements } from "../docs/fences.js";
import { type Stack, startStack } from "../platform/stack.js";
import { admin, json } from "./admin.js";
import { busyAccount } from "./busy-account.js";
import { allOf, ask, goodRequest, newCustomer, ofEach, told } from "./operations.js";

const guide = readFileSync(join(import.meta.dirname, "../../docs/operations/install.md"), "utf8");
const PASSWORD = "a password of a test";

/** The statements of the guide that create databases: for each, those that run before and within the database. */
const [oneRole, twoRoles, split] = databaseStatements(guide);

// Roles and databases belong to the server, which other tests share, so the names are unique. The administrator is no superuser, as on managed
// services.
let run: string;
async function createAdministrator(): Promise<void> {
  run = randomBytes(4).toString("hex");
  await asServer(`CREATE ROLE admin_${run} LOGIN CREATEDB CREATEROLE PASSWORD '${PASSWORD}'`);
}

const named = (part: Part) => `${part}_${run}`;
const migrations = (part: Part) => `${named(part)}_migrations`;

/** The guide's statements, for a part other than the one in its example. */
const statementsFor = (part: Part, text = "") =>
  text.replaceAll("records", named(part)).replaceAll("…", PASSWORD).trim();

function urlOf(part: Part | undefined, role = `admin_${run}`): string {
  const url = new URL(process.env.TEST_DATABASE_URL as string);
  if (part) url.pathname = `/${named(part)}`;
  return Object.assign(url, { username: role, password: PASSWORD }).href;
}

/** Runs statements one after the other, as psql does: not all of them may be in a transaction. */
async function execute(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of text.split(/;$/m)) await client.query(statement);
  } finally {
    await client.end();
  }
}

const asServer = (text: string) => execute(process.env.TEST_DATABASE_URL as string, text);
const asAdministrator = (text: string) => execute(urlOf(undefined), text);

/** A part's database as its role, which owns nothing there. */
function opened(part: Part): TestDatabase {
  const url = urlOf(part, named(part));
  const db = openDatabase(url, { connectMs: CONNECT_MS, log: silentLog() });
  return {
    url,
    db,
    async drop() {
      await db.close();
      await asServer(
        `DROP DATABASE ${named(part)} WITH (FORCE);\nDROP ROLE ${named(part)};\nDROP ROLE ${migrations(part)}`,
      );
    },
  };
}

/** A part with two roles from the beginning. */
async function withTwoRoles(part: Part): Promise<TestDatabase> {
  await asAdministrator(statementsFor(part, twoRoles?.[0]));
  await execute(urlOf(part, migrations(part)), statementsFor(part, twoRoles?.[1]));
  await migrate({ url: urlOf(part, migrations(part)), directory: migrationFolders[part] });
  return opened(part);
}

/** A part with one role, which has migrated, that is then split into two. */
async function splitLater(part: Part): Promise<TestDatabase> {
  await asAdministrator(statementsFor(part, oneRole?.[0]));
  await migrate({ url: urlOf(part, named(part)), directory: migrationFolders[part] });
  // REASSIGN processes a role's objects in PostgreSQL's own order. Here the database comes last; its owner may create tables.
  await asServer(
    `ALTER DATABASE ${named(part)} OWNER TO CURRENT_USER;\nALTER DATABASE ${named(part)} OWNER TO ${named(part)}`,
  );
  await asAdministrator(statementsFor(part, split?.[0]));
  await execute(urlOf(part), statementsFor(part, split?.[1]));
  return opened(part);
}

/** Exercises the whole platform: every operation, deliveries, the request log, an export and an erasure. */
async function useAll(stack: Stack, receiver: Receiver): Promise<void> {
  const customer = await newCustomer(stack);
  const answers = await ofEach(operations, async (route) =>
    told(await ask(customer, await goodRequest(customer, route))),
  );
  expect(answers).toEqual(allOf(operations, ({ status }) => String(status)));
  const accountId = await busyAccount(stack, receiver.url);
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(5));
  await json(stack, `account suspend --account ${accountId}`);
  const { gateway } = stack.databases;
  await suspendedSince(gateway, accountId, 2);
  const { erased } = await json(stack, `account erase --account ${accountId} --confirm Test`);
  expect(erased.filter(({ rows }: { rows: number }) => rows > 0).length).toBeGreaterThan(15);
  // Only a table's owner may create partitions, so the request log calls a function of its owner.
  const days = sql`SELECT count(*)::int AS days FROM pg_inherits WHERE inhparent = 'request_log'::regclass`;
  expect(await gateway.run(days)).toEqual([{ days: 4 }]);
}

describe.each([
  ["from the beginning", withTwoRoles],
  ["later", splitLater],
])("migrations get a role of their own %s by the statements of the guide for operators, and", (_when, databaseOf) => {
  let stack: Stack;
  beforeAll(async () => {
    await createAdministrator();
    // One after the other, as an administrator does it: all of them change the same catalog of roles.
    let last: Promise<unknown> = Promise.resolve();
    const afterLast = (part: Part) => {
      const made = last.then(() => databaseOf(part));
      last = made;
      return made;
    };
    stack = await startStack({ databaseOf: afterLast, logs: true, requestsPerMinute: 100_000 });
  });
  afterAll(async () => {
    await stack.stop();
    await asServer(`DROP ROLE admin_${run}`);
  });

  test("the role of a part is enough for all that the platform does", async () => {
    const receiver = await startReceiver();
    try {
      await useAll(stack, receiver);
    } finally {
      await receiver.close();
    }
    expect(await admin(stack, "doctor")).toMatchObject({ status: 0 });
    expect(stack.logged()).toContain('"msg":"attempt"');
    expect(stack.logged()).not.toContain("permission denied");
  });

  test("that role cannot change the schema, but uses what the next migration adds", async () => {
    for (const part of parts) {
      const db = stack.databases[part];
      const refused = (statement: string) => expect(db.run(raw(statement))).rejects.toMatchObject({ code: "42501" });
      await refused("CREATE TABLE things (id text)");
      await refused("CREATE TEMPORARY TABLE things (id text)");
      await refused("DROP TABLE _prisma_migrations");
      await execute(urlOf(part, migrations(part)), "CREATE TABLE things (id text);\nCREATE SEQUENCE numbers");
      await db.run(sql`INSERT INTO things VALUES ('a')`);
      expect(await db.run(sql`SELECT id FROM things WHERE nextval('numbers') = 1`)).toEqual([{ id: "a" }]);
    }
  });
});
