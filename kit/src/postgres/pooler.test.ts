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
import { NoSession, requireSession } from "./session.js";

const directory = join(import.meta.dirname, "../testing/fixtures/prisma");
let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase({ directory });
});
afterEach(() => database.drop());

const nameOf = (url: string) => new URL(url).pathname.slice(1);

describe("behind a pooler", () => {
  /** The next three switch on behaviour of poolers that PostgreSQL does not have. */
  let refusal: string | undefined;
  let numbersSessions: boolean;
  let holdsQueries: boolean;
  let pooler: Server;
  let sockets: Socket[];
  let url: string;
  beforeEach(async () => {
    [refusal, numbersSessions, holdsQueries, sockets] = [undefined, false, false, []];
    pooler = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      socket.once("data", (start) =>
        refusal && start.includes("options\0") ? refuse(socket, refusal) : pass(socket, start),
      );
    });
    await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
    url = Object.assign(new URL(database.url), { host: `127.0.0.1:${(pooler.address() as AddressInfo).port}` }).href;
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    pooler.close();
  });

  function refuse(socket: Socket, reason: string): void {
    const fields = Buffer.from(`SFATAL\0${reason}\0\0`);
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

  test.each([
    ["PgBouncer", "C08P01\0Munsupported startup parameter: options"],
    ["Neon", "C08P01\0Munsupported startup parameter in options: array_nulls. Please use unpooled connection"],
    ["RDS Proxy", "C0A000\0MFeature not supported: RDS Proxy currently doesn’t support command-line options."],
  ])(
    "that refuses settings as %s does, a part stores them for its role, and has them in all sessions from then on",
    async (_name, words) => {
      refusal = words;
      const db = openDatabase(url, { log: createLog({ part: "records", destination: { write: () => {} } }) });
      const limits = () =>
        db.run(sql`SELECT current_setting('statement_timeout') AS statement, current_setting('jit') AS jit`);
      const whole = await Promise.all([limits(), limits(), limits()]);
      expect(whole.flat()).toEqual(Array(3).fill({ statement: "0", jit: "on" }));
      const told =
        /^A pooler does not pass on the settings of sessions \((.*)\)\. A part stores them for (.*) when it starts\.$/;
      const said = await requireSession(db.pool).catch(({ message }) => message);
      const [, wrong, owner] = told.exec(said) ?? [];
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
    },
  );

  /** Creates a role, which password rotation replaces: it logs in, and acts as the one that owns the tables. */
  async function createLogin(name: string, acting: string): Promise<string> {
    const run = (text: string) => database.db.pool.query(text);
    await run(`CREATE ROLE "${name}" LOGIN PASSWORD 'p' IN ROLE ${acting}`);
    await run(`ALTER ROLE "${name}" SET role TO ${acting}`);
    return Object.assign(new URL(url), { username: name, password: "p" }).href;
  }

  const readLogin = sql`SELECT session_user AS login, current_user AS acting, current_setting('jit') AS jit`;

  test("the settings are stored for the role that logs in, whichever role it acts as, and again for the next one that a file names", async () => {
    [refusal, numbersSessions] = ["C08P01\0Munsupported startup parameter: options", true];
    const acting = `acting_${nameOf(database.url)}`;
    const [first, second] = [`v-first-${acting}-Xy`, `v-second-${acting}-Xy`];
    await database.db.pool.query(`CREATE ROLE ${acting}; GRANT SELECT ON _prisma_migrations TO ${acting}`);
    const folder = await mkdtemp(join(tmpdir(), "url-"));
    const urlFile = join(folder, "url");
    await writeFile(urlFile, await createLogin(first, acting));
    const db = openDatabase(url, { urlFile, max: 6, log: silentLog() });
    await expect(requireSession(db.pool, { store: true })).rejects.toThrow(`They are stored for role ${first} in`);
    await eventually(() => requireSession(db.pool, { store: true }));
    expect(await db.run(readLogin)).toEqual([{ login: first, acting, jit: "off" }]);
    await writeFile(urlFile, await createLogin(second, acting));
    const held = await db.pool.connect();
    const asked = await Promise.all(Array.from({ length: 8 }, () => db.run<{ login: string }>(readLogin)));
    held.release();
    expect(asked.flat().filter(({ login }) => login === second)).not.toEqual([]);
    for (const row of asked.flat()) expect(row).toMatchObject({ acting, jit: "off" });
    await db.close();
    await database.db.pool.query(`DROP OWNED BY ${acting}; DROP ROLE "${first}", "${second}", ${acting}`);
    await rm(folder, { recursive: true });
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
