import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { createLog, silentLog } from "../process/log.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { openDatabase } from "./database.js";
import { migrate } from "./migrate.js";
import { MigrationClient, NoSession, requireSession } from "./session.js";

const directory = join(import.meta.dirname, "../testing/fixtures/prisma");
let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase({ directory });
});
afterEach(() => database.drop());

const nameOf = (url: string) => new URL(url).pathname.slice(1);

/** Opens the database again after its owner has changed the defaults of its sessions. */
async function reopened(defaults: Record<string, string>) {
  for (const [setting, value] of Object.entries(defaults)) {
    await database.db.pool.query(`ALTER DATABASE ${nameOf(database.url)} SET ${setting} = '${value}'`);
  }
  return openDatabase(`${database.url}?options=-c%20array_nulls%3Doff`, { log: silentLog() });
}

const OTHERS = {
  DateStyle: "German",
  TimeZone: "Asia/Kathmandu",
  IntervalStyle: "iso_8601",
  array_nulls: "off",
  bytea_output: "escape",
  extra_float_digits: "-3",
  default_transaction_isolation: "serializable",
  synchronous_commit: "off",
  statement_timeout: "1h",
  idle_in_transaction_session_timeout: "1h",
  enable_seqscan: "on",
};

test("a session has the settings that results depend on, whatever the defaults of the database are", async () => {
  const db = await reopened(OTHERS);
  await requireSession(db.pool);
  const at = new Date("2026-02-01T18:30:00.123Z");
  const rows = await db.run(sql`
    SELECT ${at}::timestamptz AS at, date_trunc('hour', ${at}::timestamptz) AS hour, ${["a", null]}::text[] AS words,
      '\\x00ff'::bytea AS bytes, 0.1::float8 + 0.2::float8 AS sum, interval '-1 day 2 hours'::text AS span,
      current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS waits,
      current_setting('statement_timeout') AS most, current_setting('idle_in_transaction_session_timeout') AS idle`);
  const results = { at, hour: new Date("2026-02-01T18:00:00Z"), words: ["a", null], bytes: Buffer.from([0, 255]) };
  const texts = { sum: 0.30000000000000004, span: "-1 days +02:00:00", isolation: "read committed", waits: "on" };
  expect(rows).toEqual([{ ...results, ...texts, most: "5s", idle: "5s" }]);
  await db.close();
});

test("a search_path without the tables is named", async () => {
  const db = await reopened({ search_path: "elsewhere" });
  await expect(requireSession(db.pool)).rejects.toThrow(
    "The tables are in schema public, but the search_path of role postgres (elsewhere) leads to no schema.",
  );
  await db.close();
});

test("a database that cannot store every letter is neither used nor migrated", async () => {
  const reason =
    "The database has the encoding LATIN1. Create it with TEMPLATE template0 ENCODING 'UTF8': the encoding of a database cannot be changed.";
  const latin = `${nameOf(database.url)}_latin`;
  await database.db.pool.query(`CREATE DATABASE ${latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  const url = Object.assign(new URL(database.url), { pathname: `/${latin}` }).href;
  const db = openDatabase(url, { log: silentLog() });
  await expect(requireSession(db.pool)).rejects.toThrow(reason);
  await db.close();
  await expect(migrate({ url, directory })).rejects.toThrow(reason);
  await database.db.pool.query(`DROP DATABASE ${latin}`);
});

test("each connection reads its URL from the file again, so a new password needs no restart; while the file is away or its URL invalid, the one before holds", async () => {
  const role = `rotated_${nameOf(database.url)}`;
  const folder = await mkdtemp(join(tmpdir(), "url-"));
  const urlFile = join(folder, "url");
  const write = (password: string) =>
    writeFile(urlFile, Object.assign(new URL(database.url), { username: role, password }).href);
  const query = (text: string) => database.db.pool.query(text);
  await query(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`);
  await write("first");
  const db = openDatabase("postgresql://127.0.0.1:1/d", { urlFile, log: silentLog() });
  const pid = async () => (await db.run<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))[0]!.pid;
  const before = await pid();
  await query(`ALTER ROLE ${role} PASSWORD 'second'`);
  await write("second");
  await query(`SELECT pg_terminate_backend(${before})`);
  await eventually(async () => expect(await pid()).not.toBe(before));
  const misspelt = () => writeFile(urlFile, "postgresql://127.0.0.1:1/d?ssl_mode=verify-full");
  for (const change of [() => rm(urlFile), misspelt]) {
    await change();
    const then = await pid();
    await query(`SELECT pg_terminate_backend(${then})`);
    await eventually(async () => expect(await pid()).not.toBe(then));
  }
  await db.close();
  await query(`DROP ROLE ${role}`);
  await rm(folder, { recursive: true });
});

test("a file with the URL that was never there is named", async () => {
  const db = openDatabase("postgresql://127.0.0.1:1/d", { urlFile: "/nowhere/url", log: silentLog() });
  await expect(db.run(sql`SELECT 1`)).rejects.toThrow("/nowhere/url");
  await db.close();
});

test("a migration has no time limit and plans as PostgreSQL does, whatever the role has", async () => {
  const name = nameOf(database.url);
  const others = ["statement_timeout = '1ms'", "enable_seqscan = off", "default_transaction_isolation = serializable"];
  for (const setting of others) await database.db.pool.query(`ALTER DATABASE ${name} SET ${setting}`);
  const client = new MigrationClient({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(`
    SELECT current_setting('statement_timeout') AS timeout, current_setting('enable_seqscan') AS seqscan,
      current_setting('transaction_isolation') AS isolation`);
  expect(rows).toEqual([{ timeout: "0", seqscan: "on", isolation: "read committed" }]);
  await client.end();
});

describe("behind a pooler", () => {
  /** The next three switch on behaviour of poolers that PostgreSQL does not have. */
  let refusesOptions: boolean;
  let numbersSessions: boolean;
  let holdsQueries: boolean;
  let pooler: Server;
  let sockets: Socket[];
  let url: string;
  beforeEach(async () => {
    [refusesOptions, numbersSessions, holdsQueries, sockets] = [false, false, false, []];
    pooler = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      socket.once("data", (start) =>
        refusesOptions && start.includes("options\0") ? refuse(socket) : pass(socket, start),
      );
    });
    await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
    url = Object.assign(new URL(database.url), { host: `127.0.0.1:${(pooler.address() as AddressInfo).port}` }).href;
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    pooler.close();
  });

  function refuse(socket: Socket): void {
    const fields = Buffer.from("SFATAL\0C08P01\0Munsupported startup parameter: options\0\0");
    const head = Buffer.from("E\0\0\0\0");
    head.writeInt32BE(fields.length + 4, 1);
    socket.end(Buffer.concat([head, fields]));
  }

  function pass(socket: Socket, start: Buffer): void {
    const { hostname, port } = new URL(database.url);
    const upstream = connect(Number(port), hostname).on("error", () => {});
    sockets.push(upstream);
    upstream.write(start);
    socket.on("data", (sent) => {
      if (!holdsQueries || sent[0] !== "Q".charCodeAt(0)) upstream.write(sent);
    });
    socket.on("close", () => upstream.destroy());
    upstream.on("close", () => socket.destroy());
    upstream.on("data", (chunk: Buffer) => {
      // The process number of the session.
      const key = chunk.indexOf("K\0\0\0\f");
      if (numbersSessions && key >= 0) chunk.writeInt32BE(7, key + 5);
      socket.write(chunk);
    });
  }

  test("that refuses settings, a part stores them for its role, and has them in all sessions from then on", async () => {
    refusesOptions = true;
    const db = openDatabase(url, { log: createLog({ part: "records", destination: { write: () => {} } }) });
    const limits = () =>
      db.run(sql`SELECT current_setting('statement_timeout') AS statement, current_setting('jit') AS jit`);
    const whole = await Promise.all([limits(), limits(), limits()]);
    expect(whole.flat()).toEqual(Array(3).fill({ statement: "0", jit: "on" }));
    const told =
      /^A pooler does not pass on the settings of sessions \((.*)\)\. A part stores them for (.*) when it starts\.$/;
    const refusal = await requireSession(db.pool).catch(({ message }) => message);
    const [, wrong, owner] = told.exec(refusal) ?? [];
    expect(wrong).toContain("jit is on, statement_timeout is 0");
    expect(wrong).not.toContain("array_nulls");
    expect(owner).toBe(`role postgres in database ${nameOf(database.url)}`);
    const storing = requireSession(db.pool, { store: true });
    await expect(storing).rejects.toThrow(
      `They are stored for ${owner}; the pooler's earlier sessions are being ended.`,
    );
    await eventually(() => requireSession(db.pool, { store: true }));
    const now = await Promise.all([limits(), limits(), limits()]);
    expect(now.flat()).toEqual(Array(3).fill({ statement: "5s", jit: "off" }));
    await db.close();
    await expect(migrate({ url, directory })).rejects.toThrow("The database is reached through a connection pooler.");
  });

  /** Counts the statements that a part has prepared after its first. */
  async function prepared(): Promise<number> {
    const db = openDatabase(url, { max: 1, log: silentLog() });
    await db.run(sql`SELECT 1 AS one`);
    const rows = await db.run(sql`SELECT FROM pg_catalog.pg_prepared_statements WHERE statement LIKE 'SELECT 1%'`);
    await db.close();
    return rows.length;
  }

  test("that gives sessions to transactions, statements are not prepared by name unless it tracks names, and migrations are refused", async () => {
    numbersSessions = true;
    expect(await prepared()).toBe(0);
    await database.db.pool.query(`
      CREATE SCHEMA pooled;
      CREATE VIEW pooled.pg_prepared_statements AS
        SELECT 'PGBOUNCER_' || name AS name, statement FROM pg_catalog.pg_prepared_statements;
      ALTER DATABASE ${nameOf(database.url)} SET search_path = pooled, pg_catalog, public`);
    expect(await prepared()).toBe(1);
    await expect(migrate({ url, directory })).rejects.toThrow("The database is reached through a connection pooler.");
  });

  test("that has no session left is reported", async () => {
    holdsQueries = true;
    const db = openDatabase(url, { connectMs: 30_000, log: silentLog() });
    await expect(db.run(sql`SELECT 1`)).rejects.toMatchObject({ mayHaveRun: false, cause: expect.any(NoSession) });
    await db.close();
  });
});
